export function clockContract(_create: () => object) {}
