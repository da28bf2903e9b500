import type { TagRow } from '../../adapters/postgres/tag-row.js'; // breach
export type { Rows } from '../../adapters/postgres/rows.js'; // breach

export type Context = import('../../composition/context.js').Context; // breach
export const names = (rows: TagRow[]) => rows.map((row) => row.name);
