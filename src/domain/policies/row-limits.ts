import type { RowKind, RowTypes } from '../model/read-model.js';

/** In bytes of UTF-8. What is looked up by an index has to fit into it; the rest, into a process's memory many times. */
const KEY_BYTES = 500;
const SLUG_BYTES = 1_000;
const TEXT_BYTES = 100_000;
const CONTENT_BYTES = 10 * 1024 * 1024;
const MOST_BYTES_OF_A_UNIT = 3;

const LIMITS: Readonly<Record<string, number>> = {
  id: KEY_BYTES,
  organizationId: KEY_BYTES,
  websiteId: KEY_BYTES,
  parentId: KEY_BYTES,
  hash: KEY_BYTES,
  slug: SLUG_BYTES,
  contentHtml: CONTENT_BYTES,
};

/** Why a row cannot be shown as it is; null: it can. */
export function refusalOf<Kind extends RowKind>(kind: Kind, row: RowTypes[Kind]): string | null {
  const tooLong = tooLongText(row);
  if (tooLong !== null) return tooLong;
  if (kind === 'tags' && !/^#[0-9a-fA-F]{6}$/.test((row as RowTypes['tags']).color)) {
    return 'color is not of the form #rrggbb';
  }
  if (kind === 'blogs') return refusalOfBlog(row as RowTypes['blogs']);
  return null;
}

function refusalOfBlog({ publishedAt, categories, tags }: RowTypes['blogs']): string | null {
  // PostgreSQL knows times that no calendar can show, such as `infinity`.
  if (!Number.isFinite(publishedAt)) return 'published_at is not a time that can be shown';
  for (const term of [...categories, ...tags]) {
    const tooLong = tooLongText(term);
    // By whole characters: no storage holds half of one.
    if (tooLong !== null)
      return `of the category or tag "${[...term.id].slice(0, KEY_BYTES).join('')}", ${tooLong}`;
  }
  return null;
}

function tooLongText(row: object): string | null {
  for (const [field, value] of Object.entries(row)) {
    if (typeof value !== 'string' || field === 'foldedTitle') continue;
    const limit = LIMITS[field] ?? TEXT_BYTES;
    if (value.length * MOST_BYTES_OF_A_UNIT <= limit) continue;
    const bytes = new TextEncoder().encode(value).length;
    if (bytes > limit) return `${field} has ${bytes} bytes, and ${limit} is the limit`;
  }
  return null;
}
