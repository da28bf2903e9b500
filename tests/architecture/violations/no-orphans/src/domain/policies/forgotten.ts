export const forgotten = true; // breach
