export function keyHasherContract(_create: () => object) {}
