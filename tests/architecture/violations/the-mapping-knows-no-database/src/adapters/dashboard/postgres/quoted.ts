export const quoted = '"name"';
