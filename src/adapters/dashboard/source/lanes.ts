import { LOOK_UP } from './look-ups.js';

/** Each lane has its turn, so that a stream in one of them does not delay the others. */
export const LANES = ['keys', 'websites', 'content', 'lookups'] as const;
export type Lane = (typeof LANES)[number];

export const CONDITIONS: Readonly<Record<Lane, string>> = {
  keys: `kind = 'api_keys'`,
  websites: `kind = 'websites'`,
  content: `kind not in ('api_keys', 'websites', '${LOOK_UP}')`,
  lookups: `kind = '${LOOK_UP}'`,
};

/** A change as the queue of either engine holds it. */
export interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

/** A select of the changes of a lane. */
export function changesIn(
  lane: Lane,
  { key, table }: { readonly key: string; readonly table: string },
  ...conditions: readonly string[]
): string {
  return `select id, kind, ${key} as "key" from ${table} where ${[CONDITIONS[lane], ...conditions].join(' and ')}`;
}
