import type { Scope } from '../../domain/model/job.js';
import type { RowKind, RowTypes } from '../../domain/model/read-model.js';
import type { SourceTypes } from '../../domain/model/source.js';

type Row = RowTypes[RowKind] | SourceTypes[RowKind];
type OfWebsite = Pick<RowTypes['blogs' | 'categories' | 'tags'], 'websiteId'>;

/** The tables of the terms that rows show. */
interface Terms {
  readonly categories: ReadonlyMap<string, OfWebsite>;
  readonly tags: ReadonlyMap<string, OfWebsite>;
}

/** Whether a row shows something of these categories, tags or websites; others have all rows. */
export function isInScope(scope: Scope, row: Row, { categories, tags }: Terms): boolean {
  const parentIds = 'parentId' in row && row.parentId !== null ? [row.parentId] : [];
  const categoryIds = 'categories' in row ? row.categories.map(({ id }) => id) : parentIds;
  const tagIds = 'tags' in row ? row.tags.map(({ id }) => id) : [];
  if (scope.kind === 'categories') return categoryIds.some((id) => scope.keys.includes(id));
  if (scope.kind === 'tags') return tagIds.some((id) => scope.keys.includes(id));
  if (scope.kind !== 'websites') return true;
  const isOurs = (term: OfWebsite | undefined) => term !== undefined && scope.keys.includes(term.websiteId);
  return (
    ('websiteId' in row && isOurs(row)) ||
    categoryIds.some((id) => isOurs(categories.get(id))) ||
    tagIds.some((id) => isOurs(tags.get(id)))
  );
}
