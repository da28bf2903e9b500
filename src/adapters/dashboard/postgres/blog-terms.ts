import type { RefusedRow, SourceBlog } from '../../../domain/model/source.js';
import { BYTES_OF_A_TERM, type RowSizes } from '../../../domain/policies/row-limits.js';
import { missingValue } from '../mapping/missing-value.js';
import type { Snapshot } from '../source/readable-rows.js';
import type { MappedShapes } from './mapped-shapes.js';
import { readableRows } from './readable-rows.js';
import type { StatementForIds } from './source-statements.js';

const KINDS = ['categories', 'tags'] as const;
type Kind = (typeof KINDS)[number];
type OfEach<Value> = { readonly [Each in Kind]: Value };

const LINKED = { categories: 'category_id', tags: 'tag_id' } as const;

/** Each term once, however many links there are between the two rows. Its own id: a collation may ignore case. */
function linksOf({ from, idType }: MappedShapes): StatementForIds {
  const links = KINDS.map(
    (kind) => `to_json(array(
      select distinct term.id::text from ${from[`blog_${kind}`]} as link join ${from[kind]} as term on term.id = link.${LINKED[kind]}
      where link.blog_id = asked.id)) as ${kind}`,
  );
  return {
    name: 'links',
    sql: `select asked.id::text as key, ${links.join(', ')} from unnest($1::${idType.blogs}[]) as asked (id)`,
    idType: idType.blogs,
  };
}

function termsOf(kind: Kind, { from, idType }: MappedShapes, name: string, select: string): StatementForIds {
  return {
    name: `${kind}_of_blogs${name}`,
    sql: `select term.id::text as id, ${select} from ${from[kind]} as term join ${from.websites} as owner on owner.id = term.website_id
      where term.id = any($1::${idType[kind]}[])`,
    idType: idType[kind],
  };
}

const BYTES = `(octet_length(term.id::text) + octet_length(term.name) + octet_length(term.slug) + ${BYTES_OF_A_TERM})::float8 as bytes`;
const TERM = `owner.organization_id::text as "organizationId", term.name, term.slug`;
const TERMS: OfEach<string> = { categories: `${TERM}, term.sort_order as "sortOrder"`, tags: TERM };

interface Terms {
  readonly rows: OfEach<SourceBlog[Kind]>;
  /** The refusal of the blog if one of its terms cannot be read; null: all can be read. */
  readonly refused: RefusedRow | null;
}

/**
 * The categories and tags of some blogs. Many blogs share a few terms, so each term is read once instead of once per blog. Sizes are read
 * first, as for the blogs.
 */
export class BlogTerms {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly shapes: MappedShapes,
    private readonly links: ReadonlyMap<string, OfEach<readonly string[]>>,
    /** The reason why the links of a blog cannot be read, by its id. */
    private readonly unlinked: ReadonlyMap<string, string>,
    private readonly bytes: OfEach<ReadonlyMap<string, number>>,
  ) {}

  /** For blogs that exist. */
  static async of(snapshot: Snapshot, shapes: MappedShapes, blogIds: readonly string[]): Promise<BlogTerms> {
    const { rows, refused } = await readableRows(snapshot, linksOf(shapes), blogIds);
    const links = new Map(
      rows.map(({ key, ...ofBlog }) => [key as string, ofBlog as OfEach<readonly string[]>]),
    );
    const measured = async (kind: Kind) => {
      const ids = idsIn(kind, links.values());
      const sizes = await readableRows(snapshot, termsOf(kind, shapes, '_sizes', BYTES), ids);
      return new Map(sizes.rows.map(({ id, bytes }) => [id as string, bytes as number]));
    };
    return new BlogTerms(snapshot, shapes, links, new Map(refused.map(({ id, reason }) => [id, reason])), {
      categories: await measured('categories'),
      tags: await measured('tags'),
    });
  }

  sizesOf(blogId: string): RowSizes {
    const bytesOf = (kind: Kind) =>
      (this.links.get(blogId)?.[kind] ?? []).reduce((sum, id) => sum + (this.bytes[kind].get(id) ?? 0), 0);
    return { categories: bytesOf('categories'), tags: bytesOf('tags') };
  }

  /** Reads the terms of blogs whose sizes are known to fit. */
  async read(blogIds: readonly string[]): Promise<(blogId: string) => Terms> {
    const found = { categories: new Map(), tags: new Map() } as OfEach<Map<string, SourceBlog[Kind][number]>>;
    const unreadable = new Map<string, string>();
    for (const kind of KINDS) {
      const ids = idsIn(
        kind,
        blogIds.map((id) => this.links.get(id) ?? NONE),
      );
      const terms = termsOf(kind, this.shapes, '', TERMS[kind]);
      const { rows, refused } = await readableRows(this.snapshot, terms, ids);
      // A term without a name is quarantined on its own; its blogs are shown without it.
      for (const row of rows.filter((each) => missingValue(each) === null))
        found[kind].set(row.id as string, row as unknown as SourceBlog[Kind][number]);
      for (const { id, reason } of refused) unreadable.set(`${kind} ${id}`, reason);
    }
    return (blogId) => {
      const links = this.links.get(blogId) ?? NONE;
      const rowsOf = (kind: Kind) => links[kind].flatMap((id) => found[kind].get(id) ?? []);
      const ofTerms = KINDS.flatMap((kind) => links[kind].map((id) => unreadable.get(`${kind} ${id}`)));
      const reason = [this.unlinked.get(blogId), ...ofTerms].find((each) => each !== undefined);
      return {
        rows: { categories: rowsOf('categories'), tags: rowsOf('tags') } as Terms['rows'],
        refused: reason === undefined ? null : { id: blogId, reason },
      };
    };
  }
}

const NONE: OfEach<readonly string[]> = { categories: [], tags: [] };

function idsIn(kind: Kind, links: Iterable<OfEach<readonly string[]>>): readonly string[] {
  const ids = new Set<string>();
  for (const ofBlog of links) for (const id of ofBlog[kind]) ids.add(id);
  return [...ids];
}
