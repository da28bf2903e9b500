const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The slot of a name with a part in braces, as Redis Cluster computes it: CRC-16/XMODEM of that part only. */
export function keySlot(name: string): number {
  const tag = name.slice(name.indexOf('{') + 1, name.indexOf('}'));
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  }
  return (crc & 0xffff) % SLOTS;
}
