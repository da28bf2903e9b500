import type { RefusedRow, SourceBlog } from '../../../domain/model/source.js';
import type { RowSizes } from '../../../domain/policies/row-limits.js';
import { missingValue } from '../mapping/missing-value.js';
import type { Snapshot } from '../source/readable-rows.js';
import type { MappedTables } from './mapped-tables.js';
import { readableRows } from './readable-rows.js';
import { linksOf, termSizes, termsStatement } from './source-statements.js';
import { numberIn, withoutNul } from './values.js';

const KINDS = ['categories', 'tags'] as const;
type Kind = (typeof KINDS)[number];
type OfEach<Value> = { readonly [Each in Kind]: Value };
type Links = ReadonlyMap<string, ReadonlySet<string>>;

interface Terms {
  readonly rows: OfEach<SourceBlog[Kind]>;
  /** The refusal of the blog if one of its terms cannot be read; null: all can be read. */
  readonly refused: RefusedRow | null;
}

/** The categories and tags of some blogs. Many blogs share a few terms, so each term is read once instead of once per blog. */
export class BlogTerms {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly tables: MappedTables,
    /** The reason why the links of a blog cannot be read, by its id. */
    private readonly unlinked: ReadonlyMap<string, string>,
    private readonly links: OfEach<Links>,
    private readonly bytes: OfEach<ReadonlyMap<string, number>>,
  ) {}

  static async of(snapshot: Snapshot, tables: MappedTables, blogIds: readonly string[]): Promise<BlogTerms> {
    const unlinked = new Map<string, string>();
    const measured = async (kind: Kind) => {
      const found = await readableRows(snapshot, (ids) => linksOf(tables, kind, ids), blogIds);
      const links = new Map(blogIds.map((id) => [id, new Set<string>()]));
      for (const { blogId, termId } of found.rows) links.get(blogId as string)?.add(termId as string);
      for (const { id, reason } of found.refused) unlinked.set(id, reason);
      const { rows } = await readableRows(
        snapshot,
        (ids) => termSizes(tables, kind, ids),
        idsIn(links, blogIds),
      );
      return { links, bytes: new Map(rows.map(({ id, bytes }) => [id as string, Number(bytes)])) };
    };
    const [categories, tags] = [await measured('categories'), await measured('tags')];
    return new BlogTerms(
      snapshot,
      tables,
      unlinked,
      { categories: categories.links, tags: tags.links },
      { categories: categories.bytes, tags: tags.bytes },
    );
  }

  sizesOf(blogId: string): RowSizes {
    const bytesOf = (kind: Kind) =>
      [...(this.links[kind].get(blogId) ?? [])].reduce((sum, id) => sum + (this.bytes[kind].get(id) ?? 0), 0);
    return { categories: bytesOf('categories'), tags: bytesOf('tags') };
  }

  /** Reads the terms of blogs whose sizes are known to fit. */
  async read(blogIds: readonly string[]): Promise<(blogId: string) => Terms> {
    const [categories, tags] = [await this.#read('categories', blogIds), await this.#read('tags', blogIds)];
    return (blogId) => {
      const ofBlog = <Term>(kind: Kind, terms: ReadonlyMap<string, Term>) =>
        [...(this.links[kind].get(blogId) ?? [])].flatMap((id) => terms.get(id) ?? []);
      const ofTerms = [...ofBlog('categories', categories.refused), ...ofBlog('tags', tags.refused)];
      const reason = this.unlinked.get(blogId) ?? ofTerms[0];
      const rows = { categories: ofBlog('categories', categories.rows), tags: ofBlog('tags', tags.rows) };
      return {
        rows: rows as unknown as Terms['rows'],
        refused: reason === undefined ? null : { id: blogId, reason },
      };
    };
  }

  async #read(kind: Kind, blogIds: readonly string[]) {
    const ids = idsIn(this.links[kind], blogIds);
    const { rows, refused } = await readableRows(
      this.snapshot,
      (some) => termsStatement(this.tables, kind, some),
      ids,
    );
    // A term without a name is quarantined on its own; its blogs are shown without it.
    const named = rows.filter((row) => missingValue(row) === null);
    const checked = named.map((row) => ({ id: row.id as string, row, reason: withoutNul(row) }));
    return {
      rows: new Map(
        checked.map(({ id, row: { sortOrder, websiteId, ...texts } }) => [
          id,
          kind === 'tags' ? texts : { ...texts, sortOrder: numberIn(sortOrder) },
        ]),
      ),
      refused: new Map([
        ...refused.map(({ id, reason }) => [id, reason] as const),
        ...checked.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason] as const])),
      ]),
    };
  }
}

function idsIn(links: Links, blogIds: readonly string[]): readonly string[] {
  return [...new Set(blogIds.flatMap((id) => [...(links.get(id) ?? [])]))];
}
