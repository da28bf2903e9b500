import { mappedColumnOf } from '../model/blog-fields.js';
import type { RowKind, RowTypes } from '../model/read-model.js';
import type { Term } from '../model/term.js';

const utf8 = new TextEncoder();

/** In UTF-8: an indexed value has to fit into its index, many others into memory. */
const KEY_BYTES = 500;
const SLUG_BYTES = 1_000;
/** A list shows up to 100 rows with all their texts. */
export const MAX_TEXT_BYTES = 10_000;
const CONTENT_BYTES = 4 * 1024 * 1024;
/** For all categories of a blog together, and for all its tags. */
const TERMS_BYTES = 20_000;
/** What a category or tag adds to an answer and to totals besides its texts. */
export const BYTES_OF_A_TERM = 100;
/** With more of a kind, a blog is refused whatever their texts are. */
export const MAX_TERMS = TERMS_BYTES / BYTES_OF_A_TERM;
const MAX_BYTES_PER_UNIT = 3;

const LIMITS: Readonly<Record<string, number>> = {
  id: KEY_BYTES,
  organizationId: KEY_BYTES,
  websiteId: KEY_BYTES,
  parentId: KEY_BYTES,
  hash: KEY_BYTES,
  slug: SLUG_BYTES,
  contentHtml: CONTENT_BYTES,
  categories: TERMS_BYTES,
  tags: TERMS_BYTES,
};

/** The bytes of each text of a row; null: no text. */
export type RowSizes = Readonly<Record<string, number | null>>;

/** Why a row of these sizes is refused without being read; null: it is not. */
export function refusalOfSizes(sizes: RowSizes): string | null {
  // Without an array of its fields: a fill calls this for each row.
  for (const field in sizes) {
    const bytes = sizes[field] ?? null;
    const reason = bytes === null ? null : tooManyBytes(field, bytes);
    if (reason !== null) return reason;
  }
  return null;
}

/** The beginning of an id, for people, cut between whole characters. */
export function shortened(id: string): string {
  if (id.length <= KEY_BYTES) return id;
  return `${[...id.slice(0, KEY_BYTES * 2)].slice(0, KEY_BYTES).join('')}…`;
}

/** Why a row cannot be shown as it is. Null: it can be shown. */
export function refusalOf<Kind extends RowKind>(kind: Kind, row: RowTypes[Kind]): string | null {
  const tooLong = tooLongText(row);
  if (tooLong !== null) return tooLong;
  if (kind === 'tags' && !/^#[0-9a-fA-F]{6}$/.test((row as RowTypes['tags']).color)) {
    return 'color does not have the form #rrggbb';
  }
  if (kind === 'blogs') return refusalOfBlog(row as RowTypes['blogs']);
  return null;
}

function refusalOfBlog({ publishedAt, categories, tags }: RowTypes['blogs']): string | null {
  // The projection's time for null.
  if (Number.isNaN(publishedAt)) return 'published_at is null, but the blog is published';
  // PostgreSQL has times that no calendar can show, such as `infinity`.
  if (!Number.isFinite(publishedAt)) return 'published_at is not a valid time';
  return refusalOfTerms('categories', categories) ?? refusalOfTerms('tags', tags);
}

function refusalOfTerms(field: 'categories' | 'tags', terms: readonly Term[]): string | null {
  for (const term of terms) {
    const tooLong = tooLongText(term);
    if (tooLong !== null) return `of the category or tag "${shortened(term.id)}", ${tooLong}`;
  }
  return maxBytesOf(terms) <= limitOf(field) ? null : tooManyBytes(field, bytesOf(terms));
}

function tooLongText(row: object): string | null {
  for (const field in row) {
    const value: unknown = row[field as keyof typeof row];
    if (typeof value !== 'string' || field === 'foldedTitle') continue;
    if (value.length * MAX_BYTES_PER_UNIT <= limitOf(field)) continue;
    const reason = tooManyBytes(field, utf8.encode(value).length);
    if (reason !== null) return reason;
  }
  return null;
}

function tooManyBytes(field: string, bytes: number): string | null {
  const limit = limitOf(field);
  return bytes <= limit ? null : `${mappedColumnOf(field)} has ${bytes} bytes; the limit is ${limit}`;
}

function limitOf(field: string): number {
  return LIMITS[field] ?? MAX_TEXT_BYTES;
}

/** An upper bound that is quick to compute. */
function maxBytesOf(terms: readonly Term[]): number {
  let units = 0;
  for (const { id, name, slug } of terms) units += id.length + name.length + slug.length;
  return units * MAX_BYTES_PER_UNIT + terms.length * BYTES_OF_A_TERM;
}

function bytesOf(terms: readonly Term[]): number {
  const texts = terms.flatMap(({ id, name, slug }) => [id, name, slug]);
  return texts.reduce((bytes, text) => bytes + utf8.encode(text).length, terms.length * BYTES_OF_A_TERM);
}
