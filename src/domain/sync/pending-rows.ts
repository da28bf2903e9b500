import type { Change, Job, WideKind, WideScope } from '../model/job.js';
import type { AnySlice, RowKind } from '../model/read-model.js';
import type { ContentSource } from '../ports/content-source.js';

export const WIDE_KINDS: readonly WideKind[] = ['categories', 'tags', 'websites'];

/** Rows that a change or a job still affects: that they differ is no bug. */
export class PendingRows {
  readonly #keys: ReadonlySet<string>;
  readonly #scopes: readonly WideScope[];

  /** `changes` and `source` are of one snapshot. `work`: all unfinished jobs of those scopes. */
  constructor(
    changes: readonly Change[],
    work: readonly Job[],
    private readonly source: ContentSource,
  ) {
    const single = work.flatMap(({ scope }) =>
      scope.of === 'rows' ? scope.keys.map((key) => ({ kind: scope.kind, key })) : [],
    );
    this.#keys = new Set([...changes, ...single].map(({ kind, key }) => `${kind} ${key}`));
    this.#scopes = WIDE_KINDS.flatMap((of) => {
      const changed = changes.flatMap(({ kind, key }) => (kind === of && key !== null ? [key] : []));
      const keys = work.flatMap(({ scope }) => (scope.of === of ? scope.keys : []));
      return changed.length + keys.length === 0 ? [] : [{ of, keys: [...new Set([...changed, ...keys])] }];
    });
  }

  /** Whether a change or a job names this row: it is not even read, as that may be what fails. */
  has(kind: RowKind, key: string): boolean {
    return this.#keys.has(`${kind} ${key}`);
  }

  /** Removes the pending rows from a slice of up to `count` keys of the source after `after`. */
  async excludeFrom(slice: AnySlice, after: string | null, count: number): Promise<AnySlice> {
    const pending = new Set(slice.ids.filter((id) => this.has(slice.kind, id)));
    for (const id of await this.#dependent(slice.kind, count, after)) pending.add(id);
    const isSettled = ({ id }: { readonly id: string }) => !pending.has(id);
    return {
      ...slice,
      ids: slice.ids.filter((id) => !pending.has(id)),
      rows: slice.rows.filter(isSettled),
      refused: slice.refused.filter(isSettled),
    } as AnySlice;
  }

  /** The next `count` keys in these scopes. No other row can depend on a pending change. */
  async #dependent(kind: RowKind, count: number, after: string | null): Promise<readonly string[]> {
    const keys: string[] = [];
    for (const scope of this.#scopes) keys.push(...(await this.#firstIn(scope, kind, count, after)));
    return keys;
  }

  /** The source may return fewer keys at once than requested. */
  async #firstIn(
    scope: WideScope,
    kind: RowKind,
    count: number,
    after: string | null,
  ): Promise<readonly string[]> {
    const keys: string[] = [];
    while (keys.length < count) {
      const next = await this.source.keys(kind, scope, keys.at(-1) ?? after, count - keys.length);
      if (next.length === 0) break;
      keys.push(...next);
    }
    return keys;
  }
}
