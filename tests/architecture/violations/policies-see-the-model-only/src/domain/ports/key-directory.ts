export type Keys = string[];
