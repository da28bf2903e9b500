import type { BlogRow, RowKind, RowTypes, Term } from 'blog-content-read-api/ports';
import type { Value } from './database.js';

/** A table of the read model: its columns, and the value of each for a row. */
export interface ReadTable<Row> {
  readonly name: string;
  readonly columns: Readonly<Record<string, (row: Row) => Value>>;
}

export const READ_TABLES: { readonly [Kind in RowKind]: ReadTable<RowTypes[Kind]> } = {
  apiKeys: {
    name: 'api_keys',
    columns: {
      id: (key) => key.id,
      organization_id: (key) => key.organizationId,
      hash: (key) => key.hash,
      expires_at: (key) => storedTime(key.expiresAt),
      revoked_at: (key) => storedTime(key.revokedAt),
    },
  },
  categories: {
    name: 'categories',
    columns: {
      id: (category) => category.id,
      organization_id: (category) => category.organizationId,
      website_id: (category) => category.websiteId,
      name: (category) => category.name,
      slug: (category) => category.slug,
      description: (category) => category.description,
      parent_id: (category) => category.parentId,
      sort_order: (category) => category.sortOrder,
    },
  },
  tags: {
    name: 'tags',
    columns: {
      id: (tag) => tag.id,
      organization_id: (tag) => tag.organizationId,
      website_id: (tag) => tag.websiteId,
      name: (tag) => tag.name,
      slug: (tag) => tag.slug,
      color: (tag) => tag.color,
    },
  },
  blogs: {
    name: 'blogs',
    columns: {
      id: (blog) => blog.id,
      organization_id: (blog) => blog.organizationId,
      website_id: (blog) => blog.websiteId,
      title: (blog) => blog.title,
      folded_title: (blog) => blog.foldedTitle,
      slug: (blog) => blog.slug,
      excerpt: (blog) => blog.excerpt,
      meta_title: (blog) => blog.metaTitle,
      meta_description: (blog) => blog.metaDescription,
      featured_image_url: (blog) => blog.featuredImageUrl,
      featured_image_alt: (blog) => blog.featuredImageAlt,
      content_html: (blog) => blog.contentHtml,
      word_count: (blog) => blog.wordCount,
      reading_time_minutes: (blog) => blog.readingTimeMinutes,
      published_at: (blog) => blog.publishedAt,
      categories: (blog) => storedTerms(blog.categories),
      tags: (blog) => storedTerms(blog.tags),
    },
  },
};

/** Later than any time that a calendar can show. */
const FOREVER = Number.MAX_SAFE_INTEGER;

/** The time of an API key, which may be infinite. */
function storedTime(millis: number | null): number | null {
  return millis === null ? null : Math.min(Math.max(millis, -FOREVER), FOREVER);
}

export function timeOf(stored: number | null): number | null {
  if (stored === null || Math.abs(stored) < FOREVER) return stored;
  return stored > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}

function storedTerms(terms: BlogRow['categories']): string {
  return JSON.stringify(terms.map(({ id, name, slug }) => ({ id, name, slug })));
}

export function termsOf(stored: string): readonly Term[] {
  return JSON.parse(stored);
}
