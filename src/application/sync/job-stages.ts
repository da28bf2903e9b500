import { ALL_OF, type JobProgress, type Scope, type WideKind } from '../../domain/model/job.js';
import type { RowKind } from '../../domain/model/read-model.js';

/** API keys first: a caller that reads blogs before the walk is over needs one. */
export const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];

/** A change of one of these rows affects others. */
export const WIDE_KINDS: readonly WideKind[] = ['categories', 'tags', 'websites'];

/** Reconciling never ends; while one of these jobs is unfinished, rows differ without a change. */
export const SCOPES_WITH_END: readonly Scope['kind'][] = [
  ...Object.values(ALL_OF),
  'everything',
  ...WIDE_KINDS,
];

/**
 * A stage walks the rows of one kind, of the source or of the read model, or does what comes after
 * all rows.
 */
export interface Stage {
  readonly kind: RowKind;
  readonly walks: 'source' | 'readModel' | 'totals';
}

const ALL: readonly Stage[] = [...KINDS.flatMap(allOf), { kind: 'blogs', walks: 'totals' }];

const STAGES: Readonly<Record<Scope['kind'], readonly Stage[]>> = {
  categories: ofBoth('categories', 'blogs'),
  tags: ofBoth('blogs'),
  websites: ofBoth('categories', 'tags', 'blogs'),
  // Deleted keys come first, because they are revoked.
  apiKeys: [
    { kind: 'apiKeys', walks: 'readModel' },
    { kind: 'apiKeys', walks: 'source' },
  ],
  allCategories: allOf('categories'),
  allTags: allOf('tags'),
  allBlogs: allOf('blogs'),
  everything: ALL,
  reconcile: ALL,
};

/** What has left the scope comes last: blogs before the terms by which they are found. */
function ofBoth(...kinds: readonly RowKind[]): readonly Stage[] {
  return [
    ...kinds.map((kind): Stage => ({ kind, walks: 'source' })),
    ...kinds.toReversed().map((kind): Stage => ({ kind, walks: 'readModel' })),
  ];
}

function allOf(kind: RowKind): readonly Stage[] {
  return [
    { kind, walks: 'source' },
    { kind, walks: 'readModel' },
  ];
}

export function stageOf(scope: Scope, number: number): Stage | null {
  return STAGES[scope.kind][number] ?? null;
}

export const BEGINNING: JobProgress = { stage: 0, after: null, done: 0, total: null };

export function nextStage({ stage }: JobProgress): JobProgress {
  return { ...BEGINNING, stage: stage + 1 };
}

/** The progress after all stages of the kind of the present one. */
export function behindKind(scope: Scope, { stage }: JobProgress): JobProgress {
  const kind = stageOf(scope, stage)?.kind;
  let next = stage + 1;
  while (kind !== undefined && stageOf(scope, next)?.kind === kind) next++;
  return { ...BEGINNING, stage: next };
}
