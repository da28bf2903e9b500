import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../domain/model/capture.js';
import type { RowKind } from '../../domain/model/read-model.js';
import { shortened } from '../../domain/policies/row-limits.js';

interface LastLeader {
  readonly holder: string;
  readonly epoch: number;
  readonly since: string;
  readonly ledForMs: number;
  readonly lastBeatMs: number;
}

/** For operators; a field is missing where the store of an extension holds it. */
export interface SyncReport {
  /** Ports that extensions replace, and the extension of each. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Null: there is no leader. */
  readonly leader?: (LastLeader & { readonly isFrozen: boolean }) | null;
  /** Null: no worker has ever led. */
  readonly lastLeader?: LastLeader | null;
  /** Parts that could not be read, and the reason of each. */
  readonly failed?: Readonly<Record<string, string>>;
  /** Why this dashboard is not synced; null: it is the one that was synced before. */
  readonly dashboard?: string | null;
  readonly queue?: ChangeQueue;
  readonly work?: readonly {
    readonly scope: string;
    readonly keys: number;
    readonly requestedAt?: string;
    readonly progress: {
      readonly stage: number;
      readonly done: number;
      readonly total: number | null;
    } | null;
    readonly attempts: number;
    readonly lastError?: string | null;
    readonly nextTryAt?: string | null;
  }[];
  readonly quarantined?: readonly {
    readonly kind: string;
    readonly id: string;
    readonly reason: string;
    readonly since: string;
  }[];
  readonly repairs?: { readonly rows: number; readonly lastAt: string | null };
  /** Those of the organizations that changed last, latest first, or of the requested one. */
  readonly generations?: {
    readonly organizations: number;
    readonly newest: readonly { readonly organizationId: string; readonly generation: number }[];
  };
  readonly rows?: Readonly<Record<RowKind, { readonly dashboard: number; readonly readTables?: number }>>;
}

type ReportedJob = NonNullable<SyncReport['work']>[number];

/** A new leader has applied the first changes by then. */
const SETTLED_AFTER_MS = 5_000;
const SESSIONS_FAIL =
  'if a worker runs, its sessions may be failing: `syncing` in its /readyz and its log have the reason';
const MAX_QUARANTINED = 20;
const MAX_GENERATIONS = 10;

export function describeLength(length: number): string {
  if (length > MAX_COUNTED_CHANGES) return `more than ${MAX_COUNTED_CHANGES} changes`;
  return `${length} ${length === 1 ? 'change' : 'changes'}`;
}

/** A worker whose sessions fail leads for less than `leaderTimeoutMs` each time. */
export function describeSync(report: SyncReport, leaderTimeoutMs: number): string {
  const {
    replaced = {},
    dashboard,
    queue,
    work = [],
    failed = {},
    quarantined,
    repairs,
    generations,
    rows,
  } = report;
  return [
    ...Object.entries(replaced).map(([port, extension]) => `replaced     ${port}, by ${extension}`),
    ...describeLeader(report, leaderTimeoutMs),
    ...ifPresent(dashboard, (it) => (it === null ? [] : [`dashboard    ${it}`])),
    ...ifPresent(queue, ({ length, lagMs }) => [
      `lag          ${lagMs === null ? 'none' : `${lagMs} ms`}`,
      `queue        ${describeLength(length)}`,
    ]),
    ...Object.entries(failed).map(([part, reason]) => `${part.padEnd(12)} could not be read: ${reason}`),
    ...work.flatMap(describeJob),
    ...ifPresent(repairs, (it) => [
      `repairs      ${it.lastAt === null ? 'none' : `${it.rows} rows, the last at ${it.lastAt}`}`,
    ]),
    ...ifPresent(quarantined, describeQuarantined),
    ...ifPresent(generations, describeGenerations),
    ...ifPresent(rows, describeRows),
  ].join('\n');
}

function ifPresent<Part>(
  part: Part | undefined,
  describe: (part: Part) => readonly string[],
): readonly string[] {
  return part === undefined ? [] : describe(part);
}

function describeLeader(
  { leader, lastLeader = null, queue }: SyncReport,
  leaderTimeoutMs: number,
): readonly string[] {
  if (leader === undefined) return [];
  if (leader === null && lastLeader === null) return ['leader       none: run `npm run sync`'];
  if (leader === null) {
    const { holder, epoch, lastBeatMs } = lastLeader as LastLeader;
    return [
      `leader       none now; the last one, ${holder} in epoch ${epoch}, wrote ${lastBeatMs} ms ago`,
      `  → ${SESSIONS_FAIL}; if no worker runs: \`npm run sync\``,
    ];
  }
  const { holder, since, epoch, ledForMs, lastBeatMs, isFrozen } = leader;
  const line = `leader       ${holder}, since ${since}, epoch ${epoch}, last beat ${lastBeatMs} ms ago`;
  if (isFrozen) return [`${line}: frozen`, '  → kill it, and start another worker'];
  // The session of a worker that fails has just begun, though a change has waited for longer.
  const mayFail = ledForMs < Math.min(leaderTimeoutMs, (queue?.lagMs ?? 0) - SETTLED_AFTER_MS);
  return mayFail ? [line, `  → ${SESSIONS_FAIL}`] : [line];
}

function describeJob(job: ReportedJob): readonly string[] {
  const { scope, keys, attempts, nextTryAt, lastError } = job;
  const line = `work         ${scope}${keys > 0 ? ` (${keys})` : ''}: ${placeOf(job)}`;
  if (attempts === 0) return [line];
  // The ports say nothing more about the job queue of an extension.
  const how = lastError === undefined ? '' : `, next try ${nextTryAt ?? 'at once'}: ${lastError ?? ''}`;
  return [line, `  fails      ${times(attempts)}${how}`];
}

function describeQuarantined(quarantined: NonNullable<SyncReport['quarantined']>): readonly string[] {
  return [
    `quarantined  ${quarantined.length === 0 ? 'none' : `${quarantined.length} ${quarantined.length === 1 ? 'row' : 'rows'}`}`,
    ...quarantined
      .slice(0, MAX_QUARANTINED)
      .map(({ kind, id, reason, since }) => `  ${kind} ${shortened(id)}: ${reason} (since ${since})`),
    ...(quarantined.length > MAX_QUARANTINED ? [`  … all of them with --json`] : []),
  ];
}

function describeGenerations({
  organizations,
  newest,
}: NonNullable<SyncReport['generations']>): readonly string[] {
  const newestOnes = newest.slice(0, MAX_GENERATIONS);
  const which =
    newest.length < organizations ? `, ${newestOnes.length} of ${organizations} organizations` : '';
  return [
    `generations  ${newestOnes.length === 0 ? 'none' : `latest first${which}`}`,
    ...newestOnes.map(
      ({ organizationId, generation }) =>
        `  ${shortened(organizationId)}: ${generation} (${timeOf(generation)})`,
    ),
  ];
}

/** A generation is the microsecond of its change, or one more than the generation before it. */
function timeOf(generation: number): string {
  return new Date(generation / 1000).toISOString();
}

function describeRows(rows: NonNullable<SyncReport['rows']>): readonly string[] {
  const line = (label: string, dashboard: string, readTables: string) =>
    `${label.padEnd(12)} ${dashboard.padStart(12)} ${readTables.padStart(12)}`.trimEnd();
  const areRead = Object.values(rows).some(({ readTables }) => readTables !== undefined);
  return [
    '',
    line('', 'dashboard', areRead ? 'read tables' : ''),
    ...Object.entries(rows).map(([kind, { dashboard, readTables }]) =>
      line(LABELS[kind as RowKind], String(dashboard), String(readTables ?? '')),
    ),
  ];
}

function placeOf({ progress }: ReportedJob): string {
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
