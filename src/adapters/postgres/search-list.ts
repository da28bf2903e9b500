import type { Knex } from 'knex';
import type { BlogCriteria, BlogCut } from '../../domain/ports/blog-reader.js';
import { type BlogList, NEWEST_FIRST } from './blog-list.js';
import { type OrganizationTables, withTitlePart } from './organization-tables.js';

/** Text that the title index finds, whatever the locale of the database. */
const INDEXED = /[a-z0-9]{3}/;
/** Each pack stores how many of its titles contain such a letter. */
const COUNTED_LETTER = /[ -~]/g;
/**
 * A search is broad if it finds at least one blog in this many. Then titles are searched by packs, and the first pages are reached by a
 * walk.
 */
const ONE_IN = 8;
/** If all matching blogs are old, a walk over the newest ones finds nothing. So a walk visits at most this many. */
const MAX_SCANNED_ENTRIES = 20_000;
/** One pack in this many is a sample. */
const SAMPLED_ONE_IN = 256;
/** The first condition is that of the index on samples. */
const IS_SAMPLED = `pack % 128 = 64 and pack % ${SAMPLED_ONE_IN} = 64`;
/** If other organizations have less than one blog in this many, their titles are few enough to be looked at, too. */
const OTHERS_ONE_IN = 8;

/** Whether nearly all blogs of all organizations are those of the sampled packs. Without statistics, it is unknown. */
const HAS_MOST = `
  select coalesce(${OTHERS_ONE_IN} * abs(${SAMPLED_ONE_IN} * blogs - reltuples) < reltuples, false) as is_so
  from sampled, pg_class where oid = 'content_read.blog_entries'::regclass`;

/** A list without a list count: each matching blog is read. */
export function filteredList(
  database: Knex,
  tables: OrganizationTables,
  criteria: BlogCriteria,
  { offset, limit }: BlogCut,
): BlogList {
  return {
    parts: [['found', tables.entries(criteria).select('published_at', 'id')]],
    total: database.raw('(select count(*) from found)'),
    ids: database.select('id').from('found').orderBy(NEWEST_FIRST).offset(offset).limit(limit),
  };
}

/** Blogs with a text in their titles, of one website or all. A broad search does not read each title: see 0016_title_packs.sql. */
export function searchList(
  database: Knex,
  tables: OrganizationTables,
  criteria: BlogCriteria & { readonly foldedTitlePart: string },
  { offset, limit }: BlogCut,
): BlogList {
  const { websiteId, foldedTitlePart: part } = criteria;
  const packs = () => tables.packs(websiteId);
  const isIndexed = INDEXED.test(part);
  const all = countedInAll(database, tables, websiteId, part);
  const sample = isIndexed ? countedIn(database, packs().whereRaw(IS_SAMPLED), part) : all;
  const newest = tables
    .blogs(websiteId)
    .select('published_at', 'id', 'folded_title')
    .orderBy(NEWEST_FIRST)
    .limit((offset + limit) * ONE_IN <= MAX_SCANNED_ENTRIES ? MAX_SCANNED_ENTRIES : 0);
  const walked = database
    .select('published_at', 'id')
    .from(newest.as('newest'))
    .modify(withTitlePart, part)
    .whereRaw('(select is_so from many)')
    .orderBy(NEWEST_FIRST)
    .offset(offset)
    .limit(limit);
  return {
    parts: [
      ['sampled', sample],
      ['many', database.raw(`select coalesce(found * ${ONE_IN} > blogs, false) as is_so from sampled`)],
      ['counted', isIndexed ? all : database.select('*').from('sampled')],
      ...(isIndexed
        ? inIndex(database, tables, criteria)
        : inPacks(database, packs(), tables.entries(criteria), part)),
      [
        'total',
        database.raw(
          'select case when (select is_so from many) then (select found from counted) else (select count(*) from found) end as blogs',
        ),
      ],
      ['walked', walked],
      [
        'is_walked',
        database.raw(
          `select (select is_so from many)
             and ((select count(*) from walked) = :limit or (select blogs from total) <= :offset + (select count(*) from walked)) as is_so`,
          { offset, limit },
        ),
      ],
    ],
    total: database.raw('(select blogs from total)'),
    ids: database.raw(
      `select id from walked where (select is_so from is_walked)
       union all (select id from found where not (select is_so from is_walked) order by published_at desc, id desc offset :offset limit :limit)`,
      { offset, limit },
    ),
  };
}

/** Finds the blogs by the index on titles. It also has the blogs of each organization: a long list if there are few others. */
function inIndex(
  database: Knex,
  tables: OrganizationTables,
  criteria: BlogCriteria & { readonly foldedTitlePart: string },
): BlogList['parts'] {
  const byAll = tables.entries(criteria).select('published_at', 'id');
  if (criteria.websiteId !== null) return [['found', byAll]];
  const byTitle = tables.entriesByTitle(criteria.foldedTitlePart).select('published_at', 'id');
  const found = database.raw('? union all ?', [
    byAll.whereRaw('not (select is_so from has_most)'),
    byTitle.whereRaw('(select is_so from has_most)'),
  ]);
  return [
    ['has_most', database.raw(HAS_MOST)],
    ['found', found],
  ];
}

/** Finds the packs that contain the text, and then the blogs in them. */
function inPacks(
  database: Knex,
  packs: Knex.QueryBuilder,
  entries: Knex.QueryBuilder,
  part: string,
): BlogList['parts'] {
  const ofPack = entries
    .select('published_at', 'id')
    .whereRaw('(blog_entries.pack, blog_entries.website_id) = (holding.pack, holding.website_id)')
    // Forces the index, whatever the statistics say.
    .offset(database.raw('0') as unknown as number);
  const holding = packs
    .select('website_id', 'pack')
    .whereRaw('(strpos(titles, :part) > 0 or strpos(repetitive_titles, :part) > 0)', { part });
  const found = database.raw('select published_at, id from (?) as holding cross join lateral (?) as entry', [
    holding,
    ofPack,
  ]);
  return [['found', found]];
}

/**
 * How many titles contain the text, and how many titles there are. Titles are only read where a pack has no count for the text and has all
 * of its letters.
 */
function countedInAll(
  database: Knex,
  tables: OrganizationTables,
  websiteId: string | null,
  part: string,
): Knex.Raw {
  const inTitles = tables.packOfCounts().select(database.raw(foundIn(part), { part }));
  const found = database.raw(
    'case when not jsonb_exists_all(titles_with, ?) then 0 else coalesce((titles_with ->> ?)::bigint, (?)) end',
    [part.match(COUNTED_LETTER) ?? [], part, inTitles],
  );
  return sumOf(database, tables.packCounts(websiteId), found);
}

/** The same, by reading the titles of these packs only. */
function countedIn(database: Knex, packs: Knex.QueryBuilder, part: string): Knex.Raw {
  return sumOf(database, packs, database.raw(foundIn(part), { part }));
}

function sumOf(database: Knex, packs: Knex.QueryBuilder, found: Knex.Raw): Knex.Raw {
  const sums = packs.select(database.raw('sum(?) as found', [found]), database.raw('sum(blogs) as blogs'));
  return database.raw('?', [sums]);
}

/** How many titles of a pack contain the text. */
function foundIn(part: string): string {
  const letters = [...part].length;
  if (letters === 1) return timesIn('letters');
  if (letters === 2) return titlesIn('titles || repetitive_titles');
  // Most packs have no repetitive titles with the text, and then no title is split.
  return `${timesIn('titles')} + case when strpos(repetitive_titles, :part) = 0 then 0 else ${titlesIn('repetitive_titles')} end`;
}

/** How often the text occurs. */
function timesIn(text: string): string {
  return `(octet_length(${text}) - octet_length(replace(${text}, :part, ''))) / octet_length(:part)`;
}

/** In how many titles the text occurs: there is a separator between two occurrences unless both are in one title. */
function titlesIn(text: string): string {
  return `(
    select count(*) filter (where strpos(rest, content_read.title_separator()) > 0) - 1
    from (select unnest(string_to_array(${text}, :part)) as rest) as rests)`;
}
