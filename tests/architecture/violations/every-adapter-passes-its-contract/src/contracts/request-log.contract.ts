export function requestLogContract(_create: () => object) {}
