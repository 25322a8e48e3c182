/** The POSIX cksum(1) polynomial: not the reflected CRC-32 of zip files. */
const POLYNOMIAL = 0x04c11db7;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  return crc >>> 0;
});

/** The checksum cksum(1) prints for the text's UTF-8 bytes; an unsigned 32-bit number. */
export function cksum(text: string): number {
  const bytes = Buffer.from(text);
  let crc = 0;
  const add = (byte: number) => {
    crc = ((crc << 8) ^ (table[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0;
  };
  for (const byte of bytes) add(byte);
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) add(length & 0xff);
  return ~crc >>> 0;
}
