import type { Static, TObject, TString } from 'typebox';
import type { AnswerKind } from '../../../domain/answers/answer-from-cache.js';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import { BlogPage, OneBlog } from './blog-schemas.js';
import { CategoryList } from './category-schemas.js';
import { BlogBySlugQuery, BlogId, BlogSlug, ListBlogsQuery, NoQuery, WebsiteQuery } from './parameters.js';
import { TagList } from './tag-schemas.js';

/** One path of the API, as its consumers see it. Routing, validation, types and the API description are derived from it. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly path: string;
  /** The variable part of the path, if it has one. */
  readonly segment: TString | null;
  readonly query: TObject;
  readonly content: TObject;
  /** How long its answers live. */
  readonly kind: AnswerKind;
}

/** An operation and the computation of its answers. */
export type Endpoint<Described extends Operation = Operation> = Described & {
  /** Computes the answer, without rendering it as JSON. `segment` is the variable part of the path, if there is one. */
  answer(
    organizationId: string,
    query: Static<Described['query']>,
    segment: string,
    snapshot: Snapshot,
  ): Promise<Static<Described['content']>>;
};

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
