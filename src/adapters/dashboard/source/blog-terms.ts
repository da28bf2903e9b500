import type { RefusedRow, SourceBlog } from '../../../domain/model/source.js';
import type { RowSizes } from '../../../domain/policies/row-limits.js';
import { missingValue } from '../mapping/mapped-columns.js';
import type { RowReader } from './readable-rows.js';
import { type SourceTables, TERM_KINDS, type TermKind } from './source-dialect.js';
import { termSizesStatement, termsStatement } from './source-statements.js';

/** The terms of one kind of some blogs. */
interface Linked {
  readonly kind: TermKind;
  /** By the id of the blog. */
  readonly ids: ReadonlyMap<string, ReadonlySet<string>>;
  /** By the id of the term. */
  readonly bytes: ReadonlyMap<string, number>;
}

interface Terms {
  readonly rows: { readonly [Kind in TermKind]: SourceBlog[Kind] };
  /** The refusal of the blog if one of its terms cannot be read; null: all can be read. */
  readonly refused: RefusedRow | null;
}

/** The categories and tags of some blogs, each read once, sizes first. */
export class BlogTerms<Tables extends SourceTables> {
  private constructor(
    private readonly reader: RowReader<Tables>,
    /** The reason why the links of a blog cannot be read, by its id. */
    private readonly unlinked: ReadonlyMap<string, string>,
    private readonly linked: readonly Linked[],
  ) {}

  static async of<Tables extends SourceTables>(
    reader: RowReader<Tables>,
    blogIds: readonly string[],
  ): Promise<BlogTerms<Tables>> {
    const { dialect, tables } = reader;
    const unlinked = new Map<string, string>();
    const linked: Linked[] = [];
    for (const kind of TERM_KINDS) {
      const links = await reader.rows(dialect.links(tables, kind), blogIds);
      const ids = new Map(blogIds.map((id) => [id, new Set<string>()]));
      for (const { blogId, termId } of links.rows) ids.get(blogId as string)?.add(termId as string);
      for (const { id, reason } of links.refused) unlinked.set(id, reason);
      const { rows } = await reader.rows(termSizesStatement(tables, kind), idsIn(ids, blogIds));
      linked.push({ kind, ids, bytes: new Map(rows.map(({ id, bytes }) => [id as string, Number(bytes)])) });
    }
    return new BlogTerms(reader, unlinked, linked);
  }

  sizesOf(blogId: string): RowSizes {
    const sizes = this.linked.map(({ kind, ids, bytes }) => {
      const ofBlog = [...(ids.get(blogId) ?? [])].map((id) => bytes.get(id) ?? 0);
      return [kind, ofBlog.reduce((sum, size) => sum + size, 0)];
    });
    return Object.fromEntries(sizes);
  }

  /** Reads the terms of blogs whose sizes are known to fit. */
  async read(blogIds: readonly string[]): Promise<(blogId: string) => Terms> {
    const read: (Linked & { rows: Map<string, unknown>; refused: Map<string, string> })[] = [];
    for (const linked of this.linked) read.push({ ...linked, ...(await this.#read(linked, blogIds)) });
    return (blogId) => {
      const idsOf = ({ ids }: Linked) => [...(ids.get(blogId) ?? [])];
      const rows = read.map((terms) => [terms.kind, idsOf(terms).flatMap((id) => terms.rows.get(id) ?? [])]);
      const reasons = read.flatMap((terms) => idsOf(terms).flatMap((id) => terms.refused.get(id) ?? []));
      const reason = this.unlinked.get(blogId) ?? reasons[0];
      return {
        rows: Object.fromEntries(rows),
        refused: reason === undefined ? null : { id: blogId, reason },
      };
    };
  }

  async #read({ kind, ids }: Linked, blogIds: readonly string[]) {
    const { dialect, tables } = this.reader;
    const reading = await this.reader.rows(termsStatement(tables, kind), idsIn(ids, blogIds));
    const refused = new Map(reading.refused.map(({ id, reason }) => [id, reason]));
    const rows = new Map<string, unknown>();
    for (const row of reading.rows) {
      // A term without a name is quarantined on its own; its blogs are shown without it.
      if (missingValue(row) !== null) continue;
      const reason = dialect.convert(tables, kind, row);
      if (reason === null) rows.set(row.id as string, row);
      else refused.set(row.id as string, reason);
    }
    return { rows, refused };
  }
}

function idsIn(ids: Linked['ids'], blogIds: readonly string[]): readonly string[] {
  return [...new Set(blogIds.flatMap((id) => [...(ids.get(id) ?? [])]))];
}
