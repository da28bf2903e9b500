export const quoted = (name: string) => `\`${name}\``;
