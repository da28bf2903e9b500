type Definition = Readonly<Record<string, unknown>>;

const KEY = {
  field: 'id',
  type: 'uuid',
  meta: { special: ['uuid'] },
  schema: { is_primary_key: true, length: 36 },
};
const field = (name: string, type = 'string', special: readonly string[] = []): Definition => ({
  field: name,
  type,
  meta: { special },
  schema: {},
});

/** The collections for which the guide's mapping is written, as the data model of Directus' settings defines them. */
export const COLLECTIONS: readonly Definition[] = [
  { collection: 'websites', meta: {}, schema: {}, fields: [KEY, field('name'), field('organization')] },
  {
    collection: 'posts',
    meta: { archive_field: 'status', archive_value: 'archived', unarchive_value: 'draft' },
    schema: {},
    fields: [
      KEY,
      { field: 'status', type: 'string', meta: {}, schema: { default_value: 'draft', is_nullable: false } },
      field('date_created', 'timestamp', ['date-created']),
      field('title'),
      field('slug'),
      field('summary', 'text'),
      field('meta_title'),
      field('meta_description'),
      field('body', 'text'),
      field('published_on', 'timestamp'),
      { ...field('tags', 'json'), meta: { special: ['cast-json'], interface: 'tags' } },
      field('cover', 'uuid', ['file']),
      field('website', 'uuid', ['m2o']),
    ],
  },
  {
    collection: 'categories',
    meta: {},
    schema: {},
    fields: [
      KEY,
      field('name'),
      field('slug'),
      field('description', 'text'),
      field('sort', 'integer'),
      field('parent', 'uuid', ['m2o']),
      field('website', 'uuid', ['m2o']),
    ],
  },
  {
    collection: 'posts_categories',
    meta: { hidden: true },
    schema: {},
    fields: [
      {
        field: 'id',
        type: 'integer',
        meta: {},
        schema: { is_primary_key: true, has_auto_increment: true },
      },
      field('posts_id', 'uuid'),
      field('categories_id', 'uuid'),
    ],
  },
];

/** The end of the relation between many posts and many categories at a post. */
export const CATEGORIES_OF_POST = { field: 'categories', type: 'alias', meta: { special: ['m2m'] } };

const relation = (collection: string, from: string, to: string, meta: Definition = {}): Definition => ({
  collection,
  field: from,
  related_collection: to,
  meta,
  // The default of Directus.
  schema: { on_delete: 'SET NULL' },
});

export const RELATIONS: readonly Definition[] = [
  relation('posts', 'website', 'websites'),
  relation('posts', 'cover', 'directus_files'),
  relation('categories', 'website', 'websites'),
  relation('categories', 'parent', 'categories'),
  relation('posts_categories', 'posts_id', 'posts', {
    one_field: 'categories',
    junction_field: 'categories_id',
  }),
  relation('posts_categories', 'categories_id', 'categories', { junction_field: 'posts_id' }),
];
