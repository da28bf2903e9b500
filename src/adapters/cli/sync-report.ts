import type { RowKind } from '../../domain/model/read-model.js';
import { shortened } from '../../domain/policies/row-limits.js';

/** The sync worker as operators see it. */
export interface SyncReport {
  readonly leader: { readonly holder: string; readonly since: string; readonly lastBeatMs: number } | null;
  /** Why it is not synced; null: it is the one that was synced before. */
  readonly dashboard: string | null;
  readonly queue: { readonly length: number; readonly lagMs: number | null };
  readonly work: readonly {
    readonly scope: string;
    readonly keys: number;
    readonly requestedAt: string;
    readonly progress: {
      readonly stage: number;
      readonly done: number;
      readonly total: number | null;
    } | null;
    readonly attempts: number;
    readonly lastError: string | null;
    readonly nextTryAt: string | null;
  }[];
  readonly setAside: readonly {
    readonly kind: string;
    readonly id: string;
    readonly reason: string;
    readonly since: string;
  }[];
  readonly repairs: { readonly rows: number; readonly lastAt: string | null };
  readonly rows: Readonly<Record<RowKind, { readonly dashboard: number; readonly readTables: number }>>;
}

const SHOWN_SET_ASIDE = 20;

export function describeSync({
  leader,
  dashboard,
  queue,
  work,
  setAside,
  repairs,
  rows,
}: SyncReport): string {
  const lines = [
    `leader       ${leader === null ? 'none: run `npm run sync`' : `${leader.holder}, since ${leader.since}, last beat ${leader.lastBeatMs} ms ago`}`,
    ...(dashboard === null ? [] : [`dashboard    ${dashboard}`]),
    `lag          ${queue.lagMs === null ? 'none' : `${queue.lagMs} ms`}`,
    `queue        ${queue.length} ${queue.length === 1 ? 'change' : 'changes'}`,
    ...work.flatMap((item) => [
      `work         ${item.scope}${item.keys > 0 ? ` (${item.keys})` : ''}: ${placeOf(item)}`,
      ...(item.attempts === 0
        ? []
        : [
            `  fails      ${times(item.attempts)}, next try ${item.nextTryAt ?? 'at once'}: ${item.lastError ?? ''}`,
          ]),
    ]),
    `repairs      ${repairs.lastAt === null ? 'none' : `${repairs.rows} rows, the last at ${repairs.lastAt}`}`,
    `set aside    ${setAside.length === 0 ? 'none' : `${setAside.length} ${setAside.length === 1 ? 'row' : 'rows'}`}`,
    ...setAside
      .slice(0, SHOWN_SET_ASIDE)
      .map(({ kind, id, reason, since }) => `  ${kind} ${shortened(id)}: ${reason} (since ${since})`),
    ...(setAside.length > SHOWN_SET_ASIDE ? [`  … all of them with --json`] : []),
    '',
    `${''.padEnd(12)} ${'dashboard'.padStart(12)} ${'read tables'.padStart(12)}`,
    ...Object.entries(rows).map(
      ([kind, { dashboard, readTables }]) =>
        `${LABELS[kind as RowKind].padEnd(12)} ${String(dashboard).padStart(12)} ${String(readTables).padStart(12)}`,
    ),
  ];
  return lines.join('\n');
}

function placeOf({ progress }: SyncReport['work'][number]): string {
  if (progress === null) return 'waits';
  const { stage, done, total } = progress;
  return `${done}${total === null ? '' : `/${total}`} rows of stage ${stage + 1}`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

const LABELS: Readonly<Record<RowKind, string>> = {
  apiKeys: 'keys',
  categories: 'categories',
  tags: 'tags',
  blogs: 'blogs shown',
};
