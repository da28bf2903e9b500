import { BLOG_FIELD_NAMES, BLOG_FIELDS, recordOf } from '../../../domain/model/blog-fields.js';
import { Type } from './schema.js';

/** The format of the content: presenters are compiled against it, and consumers see it. */
const Text = (description: string) => Type.String({ description });
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
  id: Text('Unique identifier of the blog'),
  title: Text('Title'),
  slug: Text('Unique within one website; may repeat across the websites of an organization'),
  ...copied,
  publishedAt: Type.String({
    format: 'date-time',
    pattern: '^(\\d{4}|[+-]\\d{6})-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description: 'UTC, with milliseconds',
  }),
  websiteId: Text('Website that owns the blog'),
};

const NamedTerm = Type.Object({ name: Text('Name'), slug: Text('Slug, to filter by') });
export const Term = Type.Object({ id: Text('Identifier'), ...NamedTerm.properties });

export const Blog = Type.Object({
  ...fields,
  categories: Type.Array(NamedTerm),
  tags: Type.Array(NamedTerm),
});

export const BlogDetail = Type.Object({
  ...fields,
  contentHtml: Text('The full content'),
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
  id: Type.String({ description: 'Identifier' }),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Slug, to filter blogs by' }),
  description: Type.String({ description: 'Description, empty when there is none' }),
  parentId: Type.TextOrNull({
    description: 'Id of the parent category; null, or one that is not in the list, means the top',
  }),
  sortOrder: Type.Integer({ description: 'Position in the list' }),
  websiteId: Type.String({ description: 'Website that owns the category' }),
});

export const CategoryList = Type.Object({ data: Type.Array(Category) });

export const Tag = Type.Object({
  id: Type.String({ description: 'Identifier' }),
  name: Type.String({ description: 'Name' }),
  slug: Type.String({ description: 'Slug, to filter blogs by' }),
  color: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'Hexadecimal color code' }),
  websiteId: Type.String({ description: 'Website that owns the tag' }),
});

export const TagList = Type.Object({ data: Type.Array(Tag) });
