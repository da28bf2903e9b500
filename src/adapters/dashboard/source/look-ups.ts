import { type CapturedKind, type Captures, isSelect } from '../mapping/dashboard-mapping.js';

/** The kind of a look-up in the queue: the keys that it finds take its place. */
export const LOOK_UP = 'lookup';
/** A revocation may have to wait for one batch. */
export const LOOK_UP_SECONDS = 1;

/**
 * What a trigger notes for a key that is a select: its table, its kind, and the columns of the
 * changed row that it names, as JSON. The select runs after the commit, because a trigger does not
 * see what other transactions add meanwhile.
 */
export interface NotedLookUp {
  readonly key: string;
  readonly changedAt: string;
}

/** Noted look-ups of one key of the mapping. */
export interface LookUps {
  readonly table: string;
  readonly kind: CapturedKind;
  readonly select: string;
  readonly noted: readonly NotedLookUp[];
}

/** By the keys of the mapping, each look-up once. `outdated`: the mapping has no such key. */
export function lookUpsIn(waiting: readonly NotedLookUp[], captures: Captures) {
  const oldest = new Map(waiting.toReversed().map(({ key, changedAt }) => [key, changedAt]));
  const lookUps = new Map<string, LookUps & { readonly noted: NotedLookUp[] }>();
  const outdated: NotedLookUp[] = [];
  for (const [key, changedAt] of oldest) {
    const [table, kind] = keyOf(key);
    const touches = captures[table] ?? {};
    const select = touches === 'everything' ? undefined : touches[kind];
    if (select === undefined || !isSelect(select)) {
      outdated.push({ key, changedAt });
      continue;
    }
    const ofKey = lookUps.get(`${kind} ${table}`) ?? { table, kind, select, noted: [] };
    ofKey.noted.push({ key, changedAt });
    lookUps.set(`${kind} ${table}`, ofKey);
  }
  return { lookUps: [...lookUps.values()], outdated };
}

/** What is noted instead of look-ups that fail. API keys are taken before all others. */
export function kindsInsteadOf(failing: readonly NotedLookUp[]): readonly string[] {
  const isOfKeys = failing.some(({ key }) => keyOf(key)[1] === 'api_keys');
  return failing.length === 0 ? [] : [...(isOfKeys ? ['api_keys'] : []), 'everything'];
}

function keyOf(noted: string): readonly [table: string, kind: CapturedKind] {
  return JSON.parse(noted);
}
