import { BLOG_TEXTS } from '../../../domain/model/blog-fields.js';

const NULLABLE: readonly string[] = [
  ...BLOG_TEXTS,
  'publishedAt',
  'expiresAt',
  'revokedAt',
  'parentId',
  'parentOrganizationId',
];

/** Of a row that has to have it: the tables are somebody else's, and may know no `not null`. */
export function missingValue(row: Readonly<Record<string, unknown>>): string | null {
  return Object.keys(row).find((field) => row[field] === null && !NULLABLE.includes(field)) ?? null;
}
