/** Mulberry32: the same seed gives the same numbers on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The share of each rank, from 0 on: rank n has 1 / (n + 1) ** exponent of the share of the first one. */
export function zipfShares(ranks: number, exponent: number): Float64Array {
  const shares = Float64Array.from({ length: ranks }, (_, rank) => (rank + 1) ** -exponent);
  const all = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / all);
}

/** Draws a rank by its share, in constant time (Walker's alias method). */
export function drawFrom(shares: Float64Array, random: () => number): () => number {
  const count = shares.length;
  const own = shares.map((share) => share * count);
  const alias = new Uint32Array(count);
  const [small, large]: [number[], number[]] = [[], []];
  for (const [rank, share] of own.entries()) (share < 1 ? small : large).push(rank);
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop() as number, large.pop() as number];
    alias[less] = more;
    own[more] = (own[more] as number) + (own[less] as number) - 1;
    ((own[more] as number) < 1 ? small : large).push(more);
  }
  for (const rank of [...small, ...large]) own[rank] = 1;
  return () => {
    const rank = Math.floor(random() * count);
    return random() < (own[rank] as number) ? rank : (alias[rank] as number);
  };
}

/** Draws a rank below `ranks` by about the same law, without a table of shares. */
export function drawRank(ranks: number, exponent: number, random: () => number): number {
  const power = 1 - exponent;
  const drawn = ((ranks + 1) ** power - 1) * random() + 1;
  return Math.min(ranks - 1, Math.floor(drawn ** (1 / power)) - 1);
}
