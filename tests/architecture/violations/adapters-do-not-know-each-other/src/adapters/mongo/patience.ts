export const patience = 100;
