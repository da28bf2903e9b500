import { BLOG_TEXTS } from '../../../domain/model/blog-fields.js';

const NULLABLE: readonly string[] = [
  ...BLOG_TEXTS,
  'publishedAt',
  'expiresAt',
  'revokedAt',
  'parentId',
  'parentOrganizationId',
];

/** A required value that a row lacks. The tables belong to others, and may have no `not null` constraints. */
export function missingValue(row: Readonly<Record<string, unknown>>): string | null {
  return Object.keys(row).find((field) => row[field] === null && !NULLABLE.includes(field)) ?? null;
}
