import type { AnswerKind } from '../../../application/requests/answers.js';
import { BlogPage, CategoryList, OneBlog, TagList } from './content-schemas.js';
import { type Static, type TObject, type TSchema, Type } from './schema.js';

/** One path of the API, from which routing, validation, types and its description are derived. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** The variable part of the path, if it has one. */
  readonly segment: TSchema | null;
  readonly query: TObject;
  readonly content: TObject;
  /** How long its answers live. */
  readonly kind: AnswerKind;
}

/** An operation that can be carried out. */
export type Endpoint<Described extends Operation = Operation> = Described & {
  /** `segment` is the variable part of the path, empty if there is none. */
  readContent(
    organizationId: string,
    query: Static<Described['query']>,
    segment: string,
  ): Promise<Static<Described['content']>>;
};

const WITHOUT_NUL = '^[^\\u0000]*$';

const Name = (description: string, example: string) =>
  Type.String({ minLength: 1, pattern: WITHOUT_NUL, description, examples: [example] });

const websiteId = Name('Restrict to one website', 'site_halfbright');

const ListBlogsQuery = Type.Object({
  page: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, default: 1, description: 'Page, 1-indexed' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Results per page' }),
  category: Type.Optional(Name('Category slug, matched exactly', 'metalwork')),
  tag: Type.Optional(Name('Tag slug, matched exactly', 'failure')),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: WITHOUT_NUL,
      // Our own annotation: the value is trimmed before validation.
      trim: true,
      description: 'Part of the title, case-insensitive; blank: no search',
      examples: ['broken tap'],
    }),
  ),
  website_id: Type.Optional(websiteId),
});

const WebsiteQuery = Type.Object({ website_id: Type.Optional(websiteId) });

const BlogBySlugQuery = Type.Object({
  website_id: Name('Website that the slug belongs to: slugs are unique only within one', 'site_halfbright'),
});

const NoQuery = Type.Object({});

const BlogId = Type.String({ minLength: 1, description: 'Id of the blog', examples: ['blog_hb_045'] });

const BlogSlug = Type.String({
  minLength: 1,
  description: 'Slug of the blog',
  examples: ['the-tap-and-the-broken-tap'],
});

export const LIST_BLOGS = {
  id: 'listBlogs',
  summary: 'List published blogs, newest first',
  path: '/api/v1/blogs',
  segment: null,
  query: ListBlogsQuery,
  content: BlogPage,
  kind: 'list',
} as const satisfies Operation;

export const GET_BLOG_BY_ID = {
  id: 'getBlogById',
  summary: 'One published blog by its id',
  path: '/api/v1/blogs/:id',
  segment: BlogId,
  query: NoQuery,
  content: OneBlog,
  kind: 'detail',
} as const satisfies Operation;

export const GET_BLOG_BY_SLUG = {
  id: 'getBlogBySlug',
  summary: 'One published blog by its slug within a website',
  path: '/api/v1/blogs/slug/:slug',
  segment: BlogSlug,
  query: BlogBySlugQuery,
  content: OneBlog,
  kind: 'detail',
} as const satisfies Operation;

export const LIST_CATEGORIES = {
  id: 'listCategories',
  summary: 'List all categories, by sortOrder',
  path: '/api/v1/categories',
  segment: null,
  query: WebsiteQuery,
  content: CategoryList,
  kind: 'list',
} as const satisfies Operation;

export const LIST_TAGS = {
  id: 'listTags',
  summary: 'List all tags, by name',
  path: '/api/v1/tags',
  segment: null,
  query: WebsiteQuery,
  content: TagList,
  kind: 'list',
} as const satisfies Operation;

export const OPERATIONS = [LIST_BLOGS, GET_BLOG_BY_ID, GET_BLOG_BY_SLUG, LIST_CATEGORIES, LIST_TAGS] as const;
