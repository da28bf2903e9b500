export const capitals = (text: string) => text.toUpperCase();
