import { missingValue } from '../mapping/mapped-columns.js';
import type { RowReader } from './row-reader.js';
import type { TermKind } from './source-dialect.js';
import { termsStatement } from './source-statements.js';

/** The terms of one kind of a blog. */
interface Linked {
  readonly rows: readonly unknown[];
  /** Why one of them cannot be shown; undefined: all can. */
  readonly reason: string | undefined;
}

/** The categories and tags of some blogs, each read once. */
export async function termsOfBlogs(reader: RowReader, blogIds: readonly string[]) {
  const categoriesOf = await linkedTerms(reader, 'categories', blogIds);
  const tagsOf = await linkedTerms(reader, 'tags', blogIds);
  return (blogId: string) => {
    const [categories, tags] = [categoriesOf(blogId), tagsOf(blogId)];
    return {
      rows: { categories: categories.rows, tags: tags.rows },
      reason: categories.reason ?? tags.reason ?? null,
    };
  };
}

async function linkedTerms(
  reader: RowReader,
  kind: TermKind,
  blogIds: readonly string[],
): Promise<(blogId: string) => Linked> {
  const { tables } = reader;
  const links = await reader.rows(tables.links(kind), blogIds);
  const ids = new Map(blogIds.map((id) => [id, new Set<string>()]));
  for (const { blogId, termId } of links) ids.get(blogId as string)?.add(termId as string);
  const terms = await reader.rows(termsStatement(tables, kind), [
    ...new Set([...ids.values()].flatMap((ofBlog) => [...ofBlog])),
  ]);
  const refused = new Map<string, string>();
  const rows = new Map<string, unknown>();
  for (const row of terms) {
    // A term without a name is refused by itself; its blogs are shown without it.
    if (missingValue(row) !== null) continue;
    const reason = tables.convert(kind, row);
    if (reason === null) rows.set(row.id as string, row);
    else refused.set(row.id as string, reason);
  }
  return (blogId) => {
    const ofBlog = [...(ids.get(blogId) ?? [])];
    return {
      rows: ofBlog.flatMap((id) => rows.get(id) ?? []),
      reason: ofBlog.flatMap((id) => refused.get(id) ?? [])[0],
    };
  };
}
