import { mappedColumnOf } from '../../../domain/model/mapped-column-of.js';
import type { Stored } from './readable-rows.js';

/** Why PostgreSQL cannot store the texts of a row (it has no character NUL); null: it can. */
export function withoutNul(row: Stored): string | null {
  const found = Object.entries(row).find(([, value]) => value?.includes('\0'));
  return found === undefined
    ? null
    : `${mappedColumnOf(found[0])} contains the character NUL, which PostgreSQL cannot store`;
}

/** An integer, even if the type of the dashboard's column allows other values. */
export function numberIn(value: string | null | undefined): number {
  return Math.trunc(Number(value ?? 0));
}
