import type { RowKind } from '../../domain/model/read-model.js';
import { BYTES_OF_A_TERM } from '../../domain/policies/row-limits.js';
import { SHOWN_STATUS } from '../../domain/policies/shown-status.js';

/** How the rows of some keys are read, with what they need from the tables around them. */
export interface SourceStatements {
  /**
   * Of each that is to be shown, the bytes of all its texts, by the names of its fields. PostgreSQL knows them without reading what is long;
   * of a draft, not even they are looked at.
   */
  readonly sizes: string;
  readonly rows: string;
}

/** At least so many bytes: of the ids and of what each costs. What else the categories and tags of a blog hold, `BlogTerms` says. */
function bytesOfLinks(kind: 'category' | 'tag'): string {
  const links = kind === 'category' ? 'blog_categories' : 'blog_tags';
  return `
    select sum(octet_length(${kind}_id) + ${BYTES_OF_A_TERM})::float8 from public.${links} where blog_id = blog.id`;
}

const CATEGORIES = `
  public.categories as category
    join public.websites as website on website.id = category.website_id
    left join public.categories as parent on parent.id = category.parent_id
    left join public.websites as parent_website on parent_website.id = parent.website_id
  where category.id = any(:ids::text[])`;
const TAGS = `
  public.tags as tag join public.websites as website on website.id = tag.website_id
  where tag.id = any(:ids::text[])`;
const BLOGS = `
  public.blogs as blog join public.websites as website on website.id = blog.website_id
  where blog.id = any(:ids::text[]) and blog.status = '${SHOWN_STATUS}'`;

export const SOURCE_STATEMENTS: Readonly<Record<RowKind, SourceStatements>> = {
  apiKeys: {
    sizes: `
      select id as key, octet_length(id) as id, octet_length(organization_id) as "organizationId", octet_length(key_hash) as hash
      from public.api_keys where id = any(:ids::text[])`,
    rows: `
      select id, organization_id as "organizationId", key_hash as hash, expires_at as "expiresAt", revoked_at as "revokedAt"
      from public.api_keys where id = any(:ids::text[])`,
  },
  categories: {
    sizes: `
      select category.id as key, octet_length(category.id) as id, octet_length(website.organization_id) as "organizationId",
        octet_length(category.website_id) as "websiteId", octet_length(category.parent_id) as "parentId",
        octet_length(category.name) as name, octet_length(category.slug) as slug,
        octet_length(category.description) as description
      from ${CATEGORIES}`,
    rows: `
      select category.id, website.organization_id as "organizationId", category.website_id as "websiteId",
        category.parent_id as "parentId", parent_website.organization_id as "parentOrganizationId", category.name,
        category.slug, category.description, category.sort_order as "sortOrder"
      from ${CATEGORIES}`,
  },
  tags: {
    sizes: `
      select tag.id as key, octet_length(tag.id) as id, octet_length(website.organization_id) as "organizationId",
        octet_length(tag.website_id) as "websiteId", octet_length(tag.name) as name, octet_length(tag.slug) as slug,
        octet_length(tag.color) as color
      from ${TAGS}`,
    rows: `
      select tag.id, website.organization_id as "organizationId", tag.website_id as "websiteId", tag.name, tag.slug, tag.color
      from ${TAGS}`,
  },
  blogs: {
    sizes: `
      select blog.id as key, octet_length(blog.id) as id, octet_length(website.organization_id) as "organizationId",
        octet_length(blog.website_id) as "websiteId", octet_length(blog.title) as title, octet_length(blog.slug) as slug,
        octet_length(blog.excerpt) as excerpt, octet_length(blog.meta_title) as "metaTitle",
        octet_length(blog.meta_description) as "metaDescription",
        octet_length(blog.featured_image_url) as "featuredImageUrl",
        octet_length(blog.featured_image_alt) as "featuredImageAlt", octet_length(blog.content_html) as "contentHtml",
        (${bytesOfLinks('category')}) as categories, (${bytesOfLinks('tag')}) as tags
      from ${BLOGS}`,
    rows: `
      select blog.id, website.organization_id as "organizationId", blog.website_id as "websiteId", blog.title, blog.slug,
        blog.excerpt, blog.meta_title as "metaTitle", blog.meta_description as "metaDescription",
        blog.featured_image_url as "featuredImageUrl", blog.featured_image_alt as "featuredImageAlt",
        blog.content_html as "contentHtml", blog.word_count as "wordCount",
        blog.reading_time_minutes as "readingTimeMinutes", blog.status, blog.published_at as "publishedAt"
      from ${BLOGS}`,
  },
};
