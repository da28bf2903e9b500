import type { RowKind } from '../model/read-model.js';
import type { WalkedScope } from '../model/sync-work.js';

/** Keys of API keys first: whoever reads blogs before the walk is over needs one. */
export const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];

/** Rows of one kind: those that the source has, or those of the read model that the source may have no more; or their totals, or the generations of all organizations. */
export interface Stage {
  readonly kind: RowKind;
  readonly walks: 'source' | 'readModel' | 'totals' | 'generations';
}

const ALL: readonly Stage[] = [
  ...KINDS.flatMap((kind): readonly Stage[] => [
    { kind, walks: 'source' },
    { kind, walks: 'readModel' },
  ]),
  { kind: 'blogs', walks: 'totals' },
];

/** Which rows a scope comes to. A row that is gone has told so itself, unless nothing was told at all. */
const STAGES: Readonly<Record<WalkedScope['of'], readonly Stage[]>> = {
  categories: [
    { kind: 'categories', walks: 'source' },
    { kind: 'blogs', walks: 'source' },
  ],
  tags: [{ kind: 'blogs', walks: 'source' }],
  websites: [
    { kind: 'categories', walks: 'source' },
    { kind: 'tags', walks: 'source' },
    { kind: 'blogs', walks: 'source' },
  ],
  // What is no more comes first: that is what somebody revoked.
  apiKeys: [
    { kind: 'apiKeys', walks: 'readModel' },
    { kind: 'apiKeys', walks: 'source' },
  ],
  generations: [{ kind: 'blogs', walks: 'generations' }],
  everything: ALL,
  check: ALL,
};

export function phaseOf(scope: WalkedScope, number: number): Stage | null {
  return STAGES[scope.of][number] ?? null;
}
