import { BLOG_TEXTS, mappedColumnOf } from '../../../domain/model/blog-fields.js';

const NULLABLE: readonly string[] = [
  ...BLOG_TEXTS,
  'publishedAt',
  'expiresAt',
  'revokedAt',
  'parentId',
  'parentOrganizationId',
];

/** A required column in which a row is null. The tables belong to others, and may have no `not null` constraints. */
export function missingValue(row: Readonly<Record<string, unknown>>): string | null {
  const field = Object.keys(row).find((each) => row[each] === null && !NULLABLE.includes(each));
  return field === undefined ? null : mappedColumnOf(field);
}
