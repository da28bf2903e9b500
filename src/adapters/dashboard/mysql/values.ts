import type { Stored } from './readable-rows.js';

/** Why the texts of a row cannot be kept by PostgreSQL, which has no character NUL; null: they can. */
export function withoutNul(row: Stored): string | null {
  const found = Object.entries(row).find(([, value]) => value?.includes('\0'));
  return found === undefined ? null : `${found[0]} holds the character NUL, which PostgreSQL does not keep`;
}

/** An integer, also where the dashboard's column can hold others. */
export function numberIn(value: string | null | undefined): number {
  return Math.trunc(Number(value ?? 0));
}
