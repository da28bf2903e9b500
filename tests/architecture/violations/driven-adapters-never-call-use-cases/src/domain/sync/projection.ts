export type Row = object;
