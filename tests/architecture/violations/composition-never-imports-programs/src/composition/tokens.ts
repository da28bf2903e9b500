export const tokens = { clock: Symbol('clock') };
