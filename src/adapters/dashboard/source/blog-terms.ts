import type { SourceBlog } from '../../../domain/model/source.js';
import { missingValue } from '../mapping/mapped-columns.js';
import type { RowReader } from './row-reader.js';
import { type SourceTables, TERM_KINDS, type TermKind } from './source-dialect.js';
import { termsStatement } from './source-statements.js';

/** The terms of one kind of a blog. */
interface Linked {
  readonly rows: readonly unknown[];
  /** Why one of them cannot be shown; undefined: all can. */
  readonly reason: string | undefined;
}

interface Terms {
  readonly rows: { readonly [Kind in TermKind]: SourceBlog[Kind] };
  readonly reason: string | null;
}

/** The categories and tags of some blogs, each read once. */
export async function termsOfBlogs<Tables extends SourceTables>(
  reader: RowReader<Tables>,
  blogIds: readonly string[],
): Promise<(blogId: string) => Terms> {
  const read: (readonly [TermKind, (blogId: string) => Linked])[] = [];
  for (const kind of TERM_KINDS) read.push([kind, await linkedTerms(reader, kind, blogIds)]);
  return (blogId) => {
    const linked = read.map(([kind, of]) => [kind, of(blogId)] as const);
    return {
      rows: Object.fromEntries(linked.map(([kind, { rows }]) => [kind, rows])) as unknown as Terms['rows'],
      reason: linked.find(([, { reason }]) => reason !== undefined)?.[1].reason ?? null,
    };
  };
}

async function linkedTerms<Tables extends SourceTables>(
  reader: RowReader<Tables>,
  kind: TermKind,
  blogIds: readonly string[],
): Promise<(blogId: string) => Linked> {
  const { dialect, tables } = reader;
  const links = await reader.rows(dialect.links(tables, kind), blogIds);
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
    const reason = dialect.convert(tables, kind, row);
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
