import type { Knex } from 'knex';
import type { RowKind } from '../../domain/model/read-model.js';
import type { SourceReading, SourceTypes } from '../../domain/model/source.js';
import type { Scope } from '../../domain/model/sync-work.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import { keysIn, tableOf } from './keys-in-scope.js';

type Stored = Record<string, unknown>;

/** How each kind of row is read, with what it needs from the tables around it, in one statement and so in one snapshot. */
const SOURCES: {
  readonly [Kind in RowKind]: { select: string; toSource: (row: Stored) => SourceTypes[Kind] };
} = {
  apiKeys: {
    select: `
      select id, organization_id as "organizationId", key_hash as hash, expires_at as "expiresAt", revoked_at as "revokedAt"
      from public.api_keys where id = any(:ids::text[])`,
    toSource: (row) =>
      ({
        ...row,
        expiresAt: toMillis(row.expiresAt),
        revokedAt: toMillis(row.revokedAt),
      }) as SourceTypes['apiKeys'],
  },
  categories: {
    select: `
      select category.id, website.organization_id as "organizationId", category.website_id as "websiteId",
        category.parent_id as "parentId", parent_website.organization_id as "parentOrganizationId", category.name,
        category.slug, category.description, category.sort_order as "sortOrder"
      from public.categories as category
        join public.websites as website on website.id = category.website_id
        left join public.categories as parent on parent.id = category.parent_id
        left join public.websites as parent_website on parent_website.id = parent.website_id
      where category.id = any(:ids::text[])`,
    toSource: (row) => row as unknown as SourceTypes['categories'],
  },
  tags: {
    select: `
      select tag.id, website.organization_id as "organizationId", tag.website_id as "websiteId", tag.name, tag.slug, tag.color
      from public.tags as tag join public.websites as website on website.id = tag.website_id
      where tag.id = any(:ids::text[])`,
    toSource: (row) => row as unknown as SourceTypes['tags'],
  },
  blogs: {
    select: `
      select blog.id, website.organization_id as "organizationId", blog.website_id as "websiteId", blog.title, blog.slug,
        blog.excerpt, blog.meta_title as "metaTitle", blog.meta_description as "metaDescription",
        blog.featured_image_url as "featuredImageUrl", blog.featured_image_alt as "featuredImageAlt",
        blog.content_html as "contentHtml", blog.word_count as "wordCount",
        blog.reading_time_minutes as "readingTimeMinutes", blog.status, blog.published_at as "publishedAt",
        array(
          select json_build_object('id', category.id, 'organizationId', owner.organization_id, 'name', category.name,
            'slug', category.slug, 'sortOrder', category.sort_order)
          from public.blog_categories as link
            join public.categories as category on category.id = link.category_id
            join public.websites as owner on owner.id = category.website_id
          where link.blog_id = blog.id
        ) as categories,
        array(
          select json_build_object('id', tag.id, 'organizationId', owner.organization_id, 'name', tag.name, 'slug', tag.slug)
          from public.blog_tags as link
            join public.tags as tag on tag.id = link.tag_id
            join public.websites as owner on owner.id = tag.website_id
          where link.blog_id = blog.id
        ) as tags
      from public.blogs as blog join public.websites as website on website.id = blog.website_id
      where blog.id = any(:ids::text[])`,
    toSource: (row) => ({ ...row, publishedAt: toMillis(row.publishedAt) }) as SourceTypes['blogs'],
  },
};

/** Rows are held in memory a few times over while they are on their way. */
const READING_BYTES = 8 * 1024 * 1024;

/** The first of some blogs, at least one, that are not too large together. Sizes are known without reading the content. */
const FITTING_BLOGS = `
  select id from (
    select asked.id, asked.position, sum(octet_length(blog.content_html))
      over (order by asked.position rows between unbounded preceding and 1 preceding) as bytes_before
    from unnest(:ids::text[]) with ordinality as asked (id, position) left join public.blogs as blog on blog.id = asked.id
  ) as asked
  where coalesce(bytes_before, 0) < :bytes order by position`;

export class DashboardContentSource implements ContentSource {
  constructor(private readonly database: Knex) {}

  async count(kind: RowKind): Promise<number> {
    const [row] = await this.database.from(tableOf(kind)).count({ total: '*' });
    return Number(row?.total);
  }

  async keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]> {
    const { rows }: { rows: { id: string }[] } = await this.database.raw(
      `select id from (${keysIn(scope, kind)}) as present where :after::text is null or id > :after order by id limit :limit`,
      { keys: 'keys' in scope ? scope.keys : [], after, limit },
    );
    return rows.map(({ id }) => id);
  }

  existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    return this.database.from(tableOf(kind)).whereIn('id', ids).pluck('id');
  }

  async read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    const { select, toSource } = SOURCES[kind];
    const fitting = kind === 'blogs' ? await this.#fittingBlogs(ids) : ids;
    const { rows }: { rows: Stored[] } = await this.database.raw(select, { ids: fitting });
    return { ids: fitting, rows: rows.map(toSource) };
  }

  async #fittingBlogs(ids: readonly string[]): Promise<readonly string[]> {
    const { rows }: { rows: { id: string }[] } = await this.database.raw(FITTING_BLOGS, {
      ids,
      bytes: READING_BYTES,
    });
    return rows.map(({ id }) => id);
  }
}

/**
 * The driver reads times to the millisecond, finer digits cut; `infinity` comes as a number. PostgreSQL's calendar goes on where
 * JavaScript's ends, in the year 275760: as good as never.
 */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
}
