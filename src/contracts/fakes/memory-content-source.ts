import type { Scope } from '../../domain/model/job.js';
import type { RowKind, WebsiteOwner } from '../../domain/model/read-model.js';
import { SHOWN_STATUS, type SourceReading, type SourceTypes } from '../../domain/model/source.js';
import { compareCodePoints } from '../../domain/policies/ordering.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';

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
    const ids = rows.filter((row) => this.#isIn(scope, row)).map(({ id }) => id);
    return ids
      .sort(compareCodePoints)
      .filter((id) => after === null || compareCodePoints(id, after) > 0)
      .slice(0, limit);
  }

  async existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    return ids.filter((id) => this.tables[kind].has(id));
  }

  async read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    const rows = ids
      .map((id) => this.tables[kind].get(id))
      .filter((row) => row !== undefined && isShown(row));
    return { ids, rows: rows as SourceTypes[Kind][], refused: [] };
  }

  #isIn(scope: Scope, row: SourceTypes[RowKind]): boolean {
    switch (scope.kind) {
      case 'categories':
        return (
          ('parentId' in row && row.parentId !== null && scope.keys.includes(row.parentId)) ||
          ('categories' in row && row.categories.some(({ id }) => scope.keys.includes(id)))
        );
      case 'tags':
        return 'tags' in row && row.tags.some(({ id }) => scope.keys.includes(id));
      case 'websites':
        return 'websiteId' in row && this.#isOfWebsites(scope.keys, row);
      default:
        return true;
    }
  }

  #isOfWebsites(websites: readonly string[], row: SourceTypes['blogs' | 'categories' | 'tags']): boolean {
    const isOurs = (term: { websiteId: string } | undefined) =>
      term !== undefined && websites.includes(term.websiteId);
    const { categories, tags } = this.tables;
    return (
      isOurs(row) ||
      ('parentId' in row && row.parentId !== null && isOurs(categories.get(row.parentId))) ||
      ('categories' in row && row.categories.some(({ id }) => isOurs(categories.get(id)))) ||
      ('tags' in row && row.tags.some(({ id }) => isOurs(tags.get(id))))
    );
  }
}

function isShown(row: SourceTypes[RowKind]): boolean {
  return !('status' in row) || row.status === SHOWN_STATUS;
}
