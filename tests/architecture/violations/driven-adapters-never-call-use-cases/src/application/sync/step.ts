export type Step = object;
