import type { Change } from '../../../domain/model/job.js';

/** A change as the queue of either engine holds it. */
export interface StoredChange {
  readonly id: string;
  readonly kind: string;
  readonly key: string | null;
}

/** More waiting changes than these are not surveyed. */
export const MAX_SURVEYED = 5_000;

const KINDS: Readonly<Record<string, Change['kind']>> = {
  api_keys: 'apiKeys',
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  websites: 'websites',
  organizations: 'organizations',
  everything: 'everything',
};
/** For all other kinds, a change without a key does not identify a row. */
const NEEDS_NO_KEY: readonly string[] = ['api_keys', 'everything'];

/** A kind of change of a later version, as after a downgrade, has everything read again. */
export function toChange({ id, kind: storedKind, key }: StoredChange): Change {
  const kind = KINDS[storedKind];
  return kind !== undefined && (key !== null || NEEDS_NO_KEY.includes(storedKind))
    ? { id, kind, key }
    : { id, kind: 'everything', key: null };
}
