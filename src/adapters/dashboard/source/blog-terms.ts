import type { Knex } from 'knex';
import { missingValue } from '../mapping/mapped-columns.js';
import type { SourceDialect, TermKind } from './source-dialect.js';
import { termsStatement } from './source-statements.js';

/** The categories and tags of some blogs, each read once. */
export async function termsOfBlogs(snapshot: Knex, dialect: SourceDialect, blogIds: readonly string[]) {
  const categoriesOf = await linkedTerms(snapshot, dialect, 'categories', blogIds);
  const tagsOf = await linkedTerms(snapshot, dialect, 'tags', blogIds);
  return (blogId: string) => {
    const [categories, tags] = [categoriesOf(blogId), tagsOf(blogId)];
    return {
      rows: { categories: categories.rows, tags: tags.rows },
      reason: categories.reason ?? tags.reason ?? null,
    };
  };
}

async function linkedTerms(
  snapshot: Knex,
  dialect: SourceDialect,
  kind: TermKind,
  blogIds: readonly string[],
) {
  const tables = await dialect.tables(snapshot, 'blogs');
  const links = await dialect.rows(snapshot, tables, tables.links(kind), blogIds);
  const ids = new Map(blogIds.map((id) => [id, new Set<string>()]));
  for (const { blogId, termId } of links) ids.get(blogId as string)?.add(termId as string);
  const termIds = new Set([...ids.values()].flatMap((ofBlog) => [...ofBlog]));
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
  return (blogId: string) => {
    const ofBlog = [...(ids.get(blogId) ?? [])];
    return {
      rows: ofBlog.flatMap((id) => rows.get(id) ?? []),
      reason: ofBlog.flatMap((id) => refused.get(id) ?? [])[0],
    };
  };
}
