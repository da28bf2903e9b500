export function generationsContract() {}
