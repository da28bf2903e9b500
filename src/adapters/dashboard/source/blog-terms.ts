import type { RefusedRow, SourceBlog } from '../../../domain/model/source.js';
import type { RowSizes } from '../../../domain/policies/row-limits.js';
import { missingValue } from '../mapping/mapped-columns.js';
import { readableRows } from './readable-rows.js';
import {
  type Snapshot,
  type SourceDialect,
  type SourceTables,
  TERM_KINDS,
  type TermKind,
} from './source-dialect.js';
import { termSizesStatement, termsStatement } from './source-statements.js';

type OfEach<Value> = { readonly [Kind in TermKind]: Value };
type Links = ReadonlyMap<string, ReadonlySet<string>>;

interface Terms {
  readonly rows: OfEach<SourceBlog[TermKind]>;
  /** The refusal of the blog if one of its terms cannot be read; null: all can be read. */
  readonly refused: RefusedRow | null;
}

/** The categories and tags of some blogs, each read once, sizes first. */
export class BlogTerms<Tables extends SourceTables> {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly dialect: SourceDialect<Tables>,
    private readonly tables: Tables,
    /** The reason why the links of a blog cannot be read, by its id. */
    private readonly unlinked: ReadonlyMap<string, string>,
    private readonly links: OfEach<Links>,
    private readonly bytes: OfEach<ReadonlyMap<string, number>>,
  ) {}

  static async of<Tables extends SourceTables>(
    snapshot: Snapshot,
    dialect: SourceDialect<Tables>,
    tables: Tables,
    blogIds: readonly string[],
  ): Promise<BlogTerms<Tables>> {
    const unlinked = new Map<string, string>();
    const measured = async (kind: TermKind) => {
      const linked = await readableRows(snapshot, dialect, tables, dialect.links(tables, kind), blogIds);
      const links = new Map(blogIds.map((id) => [id, new Set<string>()]));
      for (const { blogId, termId } of linked.rows) links.get(blogId as string)?.add(termId as string);
      for (const { id, reason } of linked.refused) unlinked.set(id, reason);
      const sizes = termSizesStatement(tables, kind);
      const { rows } = await readableRows(snapshot, dialect, tables, sizes, idsIn(links, blogIds));
      return { links, bytes: new Map(rows.map(({ id, bytes }) => [id as string, Number(bytes)])) };
    };
    const [categories, tags] = [await measured('categories'), await measured('tags')];
    return new BlogTerms(
      snapshot,
      dialect,
      tables,
      unlinked,
      { categories: categories.links, tags: tags.links },
      { categories: categories.bytes, tags: tags.bytes },
    );
  }

  sizesOf(blogId: string): RowSizes {
    const bytesOf = (kind: TermKind) =>
      this.#idsOf(kind, blogId).reduce((sum, id) => sum + (this.bytes[kind].get(id) ?? 0), 0);
    return { categories: bytesOf('categories'), tags: bytesOf('tags') };
  }

  /** Reads the terms of blogs whose sizes are known to fit. */
  async read(blogIds: readonly string[]): Promise<(blogId: string) => Terms> {
    const terms = {
      categories: await this.#read('categories', blogIds),
      tags: await this.#read('tags', blogIds),
    };
    return (blogId) => {
      const rowsOf = (kind: TermKind) =>
        this.#idsOf(kind, blogId).flatMap((id) => terms[kind].rows.get(id) ?? []);
      const reasons = TERM_KINDS.flatMap((kind) =>
        this.#idsOf(kind, blogId).flatMap((id) => terms[kind].refused.get(id) ?? []),
      );
      const reason = this.unlinked.get(blogId) ?? reasons[0];
      return {
        rows: { categories: rowsOf('categories'), tags: rowsOf('tags') } as unknown as Terms['rows'],
        refused: reason === undefined ? null : { id: blogId, reason },
      };
    };
  }

  async #read(kind: TermKind, blogIds: readonly string[]) {
    const reading = await readableRows(
      this.snapshot,
      this.dialect,
      this.tables,
      termsStatement(this.tables, kind),
      idsIn(this.links[kind], blogIds),
    );
    const refused = new Map(reading.refused.map(({ id, reason }) => [id, reason]));
    const rows = new Map<string, unknown>();
    for (const row of reading.rows) {
      // A term without a name is quarantined on its own; its blogs are shown without it.
      if (missingValue(row) !== null) continue;
      const reason = this.dialect.convert(this.tables, kind, row);
      if (reason === null) rows.set(row.id as string, row);
      else refused.set(row.id as string, reason);
    }
    return { rows, refused };
  }

  #idsOf(kind: TermKind, blogId: string): readonly string[] {
    return [...(this.links[kind].get(blogId) ?? [])];
  }
}

function idsIn(links: Links, blogIds: readonly string[]): readonly string[] {
  return [...new Set(blogIds.flatMap((id) => [...(links.get(id) ?? [])]))];
}
