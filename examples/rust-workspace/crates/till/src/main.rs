fn main() {
    let shares = money::split(1000, 3);
    println!(
        "{}",
        shares
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    );
}
