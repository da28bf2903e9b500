import type { Scope } from '../../domain/model/job.js';
import type { RowKind, WebsiteOwner } from '../../domain/model/read-model.js';
import { SHOWN_STATUS, type SourceReading, type SourceTypes } from '../../domain/model/source.js';
import { compareCodePoints } from '../../domain/policies/ordering.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import { isInScope } from './is-in-scope.js';

type Tables = { readonly [Kind in RowKind]: Map<string, SourceTypes[Kind]> };

/** An in-memory dashboard that its user fills by hand. */
export class MemoryContentSource implements ContentSource {
  constructor(
    private readonly tables: Tables = {
      apiKeys: new Map(),
      categories: new Map(),
      tags: new Map(),
      blogs: new Map(),
    },
  ) {}

  put<Kind extends RowKind>(kind: Kind, row: SourceTypes[Kind]): void {
    this.tables[kind].set(row.id, row);
  }

  remove(kind: RowKind, id: string): void {
    this.tables[kind].delete(id);
  }

  /** A copy of the source as it is now; later changes of the source do not affect it. */
  snapshot(): MemoryContentSource {
    const { apiKeys, categories, tags, blogs } = this.tables;
    return new MemoryContentSource({
      apiKeys: new Map(apiKeys),
      categories: new Map(categories),
      tags: new Map(tags),
      blogs: new Map(blogs),
    });
  }

  async count(kind: RowKind): Promise<number> {
    return this.tables[kind].size;
  }

  async owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]> {
    const rows = [this.tables.blogs, this.tables.categories, this.tables.tags].flatMap((table) => [
      ...table.values(),
    ]);
    return websiteIds.map((websiteId) => ({
      websiteId,
      organizationId: rows.find((row) => row.websiteId === websiteId)?.organizationId ?? null,
    }));
  }

  async keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]> {
    const rows: readonly SourceTypes[RowKind][] = [...this.tables[kind].values()];
    const ids = rows.filter((row) => isInScope(scope, row, this.tables)).map(({ id }) => id);
    return ids
      .sort(compareCodePoints)
      .filter((id) => after === null || compareCodePoints(id, after) > 0)
      .slice(0, limit);
  }

  async existing(kind: RowKind, scope: Scope, ids: readonly string[]): Promise<readonly string[]> {
    const inScope = new Set(await this.keys(kind, scope, null, Number.POSITIVE_INFINITY));
    return ids.filter((id) => inScope.has(id));
  }

  async read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    const rows = ids
      .map((id) => this.tables[kind].get(id))
      .filter((row) => row !== undefined && isShown(row));
    return { ids, rows: rows as SourceTypes[Kind][], refused: [] };
  }
}

function isShown(row: SourceTypes[RowKind]): boolean {
  return !('status' in row) || row.status === SHOWN_STATUS;
}
