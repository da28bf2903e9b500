import type { Knex } from 'knex';
import { missingValue } from '../mapping/mapped-columns.js';
import type { SourceReader } from './source-reader.js';
import { termsStatement } from './source-statements.js';
import type { Stored, TermKind } from './source-tables.js';

/** The terms of one kind of some blogs, which are measured before they are read. */
export async function termsOfBlogs(
  snapshot: Knex,
  reader: SourceReader,
  kind: TermKind,
  blogIds: readonly string[],
) {
  const tables = await reader.tables(snapshot, 'blogs');
  const links = new Map(blogIds.map((id): [unknown, Stored[]] => [id, []]));
  for (const link of await reader.rows(snapshot, tables, tables.links(kind), blogIds))
    links.get(link.blogId)?.push(link);
  const idsOf = (blogId: unknown) => (links.get(blogId) ?? []).map(({ termId }) => termId as string);
  return {
    bytesOf: (blogId: string) => Number(links.get(blogId)?.[0]?.bytes ?? 0),
    /** Reads each term once. Returns why blogs cannot be shown with theirs, by their ids. */
    addTo: async (blogs: readonly Stored[]): Promise<ReadonlyMap<unknown, string>> => {
      const termIds = new Set(blogs.flatMap(({ id }) => idsOf(id)));
      const refused = new Map<string, string>();
      const rows = new Map<string, unknown>();
      for (const row of await reader.rows(snapshot, tables, termsStatement(tables, kind), [...termIds])) {
        // A term without a name is refused by itself; its blogs are shown without it.
        if (missingValue(row) !== null) continue;
        const reason = tables.convert(kind, row);
        if (reason === null) rows.set(row.id as string, row);
        else refused.set(row.id as string, reason);
      }
      const reasons = new Map<unknown, string>();
      for (const blog of blogs) {
        const ids = idsOf(blog.id);
        blog[kind] = ids.flatMap((id) => rows.get(id) ?? []);
        for (const id of ids) if (refused.has(id)) reasons.set(blog.id, refused.get(id) as string);
      }
      return reasons;
    },
  };
}
