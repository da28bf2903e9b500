import { BLOG_FIELD_NAMES, BLOG_FIELDS, recordOf } from '../../../domain/model/blog-fields.js';
import { Type } from './schema.js';

/** The format of the content: presenters are compiled against it, and consumers see it. */
const Text = (description: string, ...examples: readonly string[]) =>
  Type.String({ description, ...(examples.length > 0 && { examples }) });
const TextOrNull = (description: string) => Type.TextOrNull({ description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

const SCHEMAS = { text: TextOrNull, count: Count };
const copied = recordOf(BLOG_FIELD_NAMES, (name) => {
  const { type, description } = BLOG_FIELDS[name];
  return SCHEMAS[type](description);
}) as {
  readonly [Name in keyof typeof BLOG_FIELDS]: ReturnType<
    (typeof SCHEMAS)[(typeof BLOG_FIELDS)[Name]['type']]
  >;
};

const fields = {
  id: Text('Unique identifier of the blog', 'blog_hb_045'),
  title: Text('Title', 'The tap and the broken tap'),
  slug: Text(
    'Unique within one website; may repeat across the websites of an organization',
    'the-tap-and-the-broken-tap',
  ),
  ...copied,
  publishedAt: Type.String({
    format: 'date-time',
    pattern: '^(\\d{4}|[+-]\\d{6})-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description: 'UTC, with milliseconds',
    examples: ['2026-10-18T05:47:09.964Z'],
  }),
  websiteId: Text('Website that owns the blog', 'site_halfbright'),
};

const NamedTerm = Type.Object({
  name: Text('Name', 'Metalwork'),
  slug: Text('Slug, to filter by', 'metalwork'),
});
export const Term = Type.Object({ id: Text('Identifier', 'cat_hb_metalwork'), ...NamedTerm.properties });

export const Blog = Type.Object({
  ...fields,
  categories: Type.Array(NamedTerm),
  tags: Type.Array(NamedTerm),
});

export const BlogDetail = Type.Object({
  ...fields,
  contentHtml: Text('The full content', '<p>Half a turn in, a quarter back.</p>'),
  categories: Type.Array(Term),
  tags: Type.Array(Term),
});

export const Pagination = Type.Object({
  page: Type.Integer({ minimum: 1, description: 'This page, 1-indexed' }),
  limit: Type.Integer({ minimum: 1, description: 'Results per page' }),
  total: Count('Number of matching blogs on all pages'),
  pages: Count('Number of pages with this limit'),
});

export const BlogPage = Type.Object({ data: Type.Array(Blog), pagination: Pagination });
export const OneBlog = Type.Object({ data: BlogDetail });

export const Category = Type.Object({
  id: Text('Identifier', 'cat_hb_metalwork'),
  name: Text('Name', 'Metalwork'),
  slug: Text('Slug, to filter blogs by', 'metalwork'),
  description: Text('Description, empty when there is none'),
  parentId: Type.TextOrNull({
    description: 'Id of the parent category; null, or one that is not in the list, means the top',
  }),
  sortOrder: Type.Integer({ description: 'Position in the list' }),
  websiteId: Text('Website that owns the category', 'site_halfbright'),
});

export const CategoryList = Type.Object({ data: Type.Array(Category) });

export const Tag = Type.Object({
  id: Text('Identifier', 'tag_hb_failure'),
  name: Text('Name', 'Failure'),
  slug: Text('Slug, to filter blogs by', 'failure'),
  color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Hexadecimal color code' }),
  websiteId: Text('Website that owns the tag', 'site_halfbright'),
});

export const TagList = Type.Object({ data: Type.Array(Tag) });
