export type Key = string;
