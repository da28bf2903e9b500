import type { Knex } from 'knex';
import { missingValue } from '../mapping/mapped-columns.js';
import type { SourceDialect, TermKind } from './source-dialect.js';
import { termsStatement } from './source-statements.js';

const TERM_KINDS = ['categories', 'tags'] as const satisfies readonly TermKind[];

/** The bytes of all terms of a blog, and the ids of at most one more than can be shown. */
interface Links {
  bytes: number;
  readonly termIds: string[];
}
type LinksOfBlogs = ReadonlyMap<string, Readonly<Record<TermKind, Links>>>;

export async function linksOfBlogs(
  snapshot: Knex,
  dialect: SourceDialect,
  blogIds: readonly string[],
): Promise<LinksOfBlogs> {
  const tables = await dialect.tables(snapshot, 'blogs');
  const none = (): Links => ({ bytes: 0, termIds: [] });
  const links: LinksOfBlogs = new Map(blogIds.map((id) => [id, { categories: none(), tags: none() }]));
  for (const kind of TERM_KINDS) {
    const rows = await dialect.rows(snapshot, tables, tables.links(kind), blogIds);
    for (const { blogId, termId, bytes } of rows) {
      const ofBlog = links.get(blogId as string)?.[kind];
      ofBlog?.termIds.push(termId as string);
      if (ofBlog !== undefined) ofBlog.bytes = Number(bytes);
    }
  }
  return links;
}

/** The categories and tags of some blogs, each read once. */
export async function termsOfBlogs(
  snapshot: Knex,
  dialect: SourceDialect,
  links: LinksOfBlogs,
  blogIds: readonly string[],
) {
  const tables = await dialect.tables(snapshot, 'blogs');
  const linkedTerms = async (kind: TermKind) => {
    const idsOf = (blogId: string) => links.get(blogId)?.[kind].termIds ?? [];
    const termIds = new Set(blogIds.flatMap(idsOf));
    const terms = await dialect.rows(snapshot, tables, termsStatement(tables, kind), [...termIds]);
    const refused = new Map<string, string>();
    const rows = new Map<string, unknown>();
    for (const row of terms) {
      // A term without a name is refused by itself; its blogs are shown without it.
      if (missingValue(row) !== null) continue;
      const reason = tables.convert(kind, row);
      if (reason === null) rows.set(row.id as string, row);
      else refused.set(row.id as string, reason);
    }
    return (blogId: string) => ({
      rows: idsOf(blogId).flatMap((id) => rows.get(id) ?? []),
      reason: idsOf(blogId).flatMap((id) => refused.get(id) ?? [])[0],
    });
  };
  const [categoriesOf, tagsOf] = [await linkedTerms('categories'), await linkedTerms('tags')];
  return (blogId: string) => {
    const [categories, tags] = [categoriesOf(blogId), tagsOf(blogId)];
    return {
      rows: { categories: categories.rows, tags: tags.rows },
      reason: categories.reason ?? tags.reason ?? null,
    };
  };
}
