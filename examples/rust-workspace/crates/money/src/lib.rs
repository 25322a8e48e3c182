/// Splits an amount so that no cent is lost: the first shares are larger by one where it does not divide.
pub fn split(cents: u64, ways: u64) -> Vec<u64> {
    let share = cents / ways;
    let larger = cents % ways;
    (0..ways)
        .map(|index| share + u64::from(index < larger))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn loses_no_cent() {
        assert_eq!(split(100, 3), vec![34, 33, 33]);
    }
}
