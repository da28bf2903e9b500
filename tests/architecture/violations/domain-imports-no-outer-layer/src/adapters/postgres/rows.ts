export type Rows = string[];
