/** All that this service reads of the dashboard's database: of which row a change in a table tells, and the columns that are read. */
export const CAPTURED_TABLES: Readonly<
  Record<string, { readonly kind: string; readonly key: string; readonly columns: readonly string[] }>
> = {
  organizations: { kind: 'organizations', key: 'id', columns: ['id'] },
  websites: { kind: 'websites', key: 'id', columns: ['id', 'organization_id'] },
  blogs: {
    kind: 'blogs',
    key: 'id',
    columns: [
      'id',
      'website_id',
      'title',
      'slug',
      'excerpt',
      'meta_title',
      'meta_description',
      'featured_image_url',
      'featured_image_alt',
      'content_html',
      'word_count',
      'reading_time_minutes',
      'status',
      'published_at',
    ],
  },
  categories: {
    kind: 'categories',
    key: 'id',
    columns: ['id', 'website_id', 'parent_id', 'name', 'slug', 'description', 'sort_order'],
  },
  tags: { kind: 'tags', key: 'id', columns: ['id', 'website_id', 'name', 'slug', 'color'] },
  blog_categories: { kind: 'blogs', key: 'blog_id', columns: ['blog_id', 'category_id'] },
  blog_tags: { kind: 'blogs', key: 'blog_id', columns: ['blog_id', 'tag_id'] },
  api_keys: {
    kind: 'api_keys',
    key: 'id',
    columns: ['id', 'organization_id', 'key_hash', 'expires_at', 'revoked_at'],
  },
};
