import type { Knex } from 'knex';
import { BLOG_FIELD_NAMES, columnOf } from '../../../src/domain/model/blog-fields.js';
import type { RowKind } from '../../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../../src/domain/model/source.js';

type Put = { readonly [Kind in RowKind]: (database: Knex, row: SourceTypes[Kind]) => Promise<void> };

const TABLES: Readonly<Record<RowKind, string>> = {
  apiKeys: 'api_keys',
  categories: 'categories',
  tags: 'tags',
  blogs: 'blogs',
};

/**
 * Writes a source row into the tables of the dashboard's reference schema and replaces the row with its id. Creates
 * the organization and the website; parents and terms have to exist.
 */
export async function putIntoDashboard<Kind extends RowKind>(
  database: Knex,
  kind: Kind,
  row: SourceTypes[Kind],
): Promise<void> {
  const { organizationId, websiteId } = { websiteId: null, ...row };
  await putOwners(database, organizationId, websiteId);
  await putRow(database, kind, row);
}

/** Expects that the row's organization and website exist. */
export async function putRow<Kind extends RowKind>(
  database: Knex,
  kind: Kind,
  row: SourceTypes[Kind],
): Promise<void> {
  await PUT[kind](database, row);
}

export async function removeFromDashboard(database: Knex, kind: RowKind, id: string): Promise<void> {
  await database(TABLES[kind]).where({ id }).delete();
}

const PUT: Put = {
  apiKeys: async (database, { id, organizationId, hash, expiresAt, revokedAt }) => {
    await upsert(database, 'api_keys', {
      id,
      organization_id: organizationId,
      key_hash: hash,
      expires_at: timestamp(database, expiresAt),
      revoked_at: timestamp(database, revokedAt),
    });
  },

  categories: async (database, { id, websiteId, parentId, name, slug, description, sortOrder }) => {
    const own = { id, name, slug, description };
    await upsert(database, 'categories', {
      ...own,
      website_id: websiteId,
      parent_id: parentId,
      sort_order: sortOrder,
    });
  },

  tags: async (database, { id, websiteId, name, slug, color }) => {
    await upsert(database, 'tags', { id, name, slug, color, website_id: websiteId });
  },

  blogs: async (database, { categories, tags, ...blog }) => {
    await upsert(database, 'blogs', {
      id: blog.id,
      website_id: blog.websiteId,
      title: blog.title,
      slug: blog.slug,
      content_html: blog.contentHtml,
      ...Object.fromEntries(BLOG_FIELD_NAMES.map((name) => [columnOf(name), blog[name]])),
      status: blog.status,
      published_at: timestamp(database, blog.publishedAt),
    });
    await database('blog_categories').where({ blog_id: blog.id }).delete();
    await database('blog_tags').where({ blog_id: blog.id }).delete();
    for (const { id } of categories) {
      await database('blog_categories').insert({ blog_id: blog.id, category_id: id });
    }
    for (const { id } of tags) await database('blog_tags').insert({ blog_id: blog.id, tag_id: id });
  },
};

export async function putOwners(
  database: Knex,
  organizationId: string,
  websiteId: string | null,
): Promise<void> {
  await upsert(database, 'organizations', { id: organizationId, name: `Name of ${organizationId}` });
  if (websiteId === null) return;
  const website = { id: websiteId, organization_id: organizationId, name: `Name of ${websiteId}` };
  await upsert(database, 'websites', website);
}

async function upsert(database: Knex, table: string, record: Record<string, unknown>): Promise<void> {
  await database(table).insert(record).onConflict('id').merge();
}

/** A time in the format of the database. MySQL has years of four digits, and no infinite time. */
export function timestamp(database: Knex, millis: number | null): string | null {
  if (millis === null) return null;
  if (database.client.config.client === 'mysql2')
    return new Date(millis).toISOString().replace(/[TZ]/g, ' ').trim();
  if (!Number.isFinite(millis)) return millis > 0 ? 'infinity' : '-infinity';
  const iso = new Date(millis).toISOString();
  const year = new Date(millis).getUTCFullYear();
  if (year > 0) return iso.replace(/^\+0*/, '');
  return `${String(1 - year).padStart(4, '0')}${iso.slice(iso.indexOf('-', 1))} BC`;
}
