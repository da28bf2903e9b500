import { ApiFetcher } from './api-fetcher.js';
import type {
  Blog,
  BlogDetail,
  BlogPage,
  Category,
  CategoryList,
  GetBlogBySlugQuery,
  ListBlogsQuery,
  ListCategoriesQuery,
  ListTagsQuery,
  OneBlog,
  Tag,
  TagList,
} from './api-types.js';
import { BlogApiError } from './blog-api-error.js';
import { type BlogClientOptions, settingsOf } from './blog-client-options.js';

export type * from './api-types.js';
// biome-ignore lint/performance/noBarrelFile: the package exports this module as `./client`.
export { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';
export type { BlogClientOptions } from './blog-client-options.js';

export interface CallOptions {
  /** Aborts the call, also between retries; the call throws the reason of the signal. */
  readonly signal?: AbortSignal | null | undefined;
  /** Waits up to a second for content of this generation, then returns the current content. */
  readonly minGeneration?: number;
}

const MAX_BLOGS_PER_PAGE = 100;
const BLOG_NOT_FOUND = 'Blog not found';

/** All that the API answers to one key; a parameter that is left out or null is no condition. */
export class BlogClient {
  readonly #api: ApiFetcher;

  constructor(options: BlogClientOptions) {
    this.#api = new ApiFetcher(settingsOf(options));
  }

  /** The highest generation that any answer has shown; 0 before the first. */
  get generation(): number {
    return this.#api.generation;
  }

  /** One page of the published blogs, newest first. */
  listBlogs(query: ListBlogsQuery = {}, options?: CallOptions): Promise<BlogPage> {
    return this.#get('/api/v1/blogs', query, options);
  }

  /**
   * The blogs of all pages, each once. One that is unpublished meanwhile moves the others up, so
   * one may be missed.
   */
  async *allBlogs(
    query: Omit<ListBlogsQuery, 'page'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Blog, void> {
    const limit = query.limit ?? MAX_BLOGS_PER_PAGE;
    const seen = new Set<string>();
    let pages = 1;
    for (let page = 1; page <= pages; page++) {
      const { data, pagination } = await this.listBlogs({ ...query, limit, page }, options);
      pages = pagination.pages;
      for (const blog of data) {
        if (seen.has(blog.id)) continue;
        seen.add(blog.id);
        yield blog;
      }
    }
  }

  /** Null if there is no such blog, or it is not published. */
  getBlogById(id: string, options?: CallOptions): Promise<BlogDetail | null> {
    return this.#getBlog('/api/v1/blogs/', id, {}, options);
  }

  /** Null if the website has no such blog, or it is not published. */
  getBlogBySlug(slug: string, query: GetBlogBySlugQuery, options?: CallOptions): Promise<BlogDetail | null> {
    return this.#getBlog('/api/v1/blogs/slug/', slug, query, options);
  }

  /** All categories, by their `sortOrder`. */
  async listCategories(query: ListCategoriesQuery = {}, options?: CallOptions): Promise<readonly Category[]> {
    return (await this.#get<CategoryList>('/api/v1/categories', query, options)).data;
  }

  /** All tags, by name. */
  async listTags(query: ListTagsQuery = {}, options?: CallOptions): Promise<readonly Tag[]> {
    return (await this.#get<TagList>('/api/v1/tags', query, options)).data;
  }

  async #getBlog(folder: string, name: string, query: object, options?: CallOptions) {
    if (!isSegment(name)) return null;
    try {
      return (await this.#get<OneBlog>(`${folder}${encodeURIComponent(name)}`, query, options)).data;
    } catch (error) {
      // Any other 404 means that this is not the address of the API.
      const isMissing =
        error instanceof BlogApiError && error.status === 404 && error.message === BLOG_NOT_FOUND;
      if (isMissing) return null;
      throw error;
    }
  }

  #get<Body>(path: string, query: object, options: CallOptions = {}): Promise<Body> {
    const { signal = null, minGeneration = 0 } = options;
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const search = new URLSearchParams(Object.fromEntries(given)).toString();
    return this.#api.get(search === '' ? path : `${path}?${search}`, { signal, minGeneration });
  }
}

/** `.` and `..` are resolved as folders, and half a surrogate pair is not a character. */
function isSegment(name: string): boolean {
  return !/^\.{0,2}$|\p{Surrogate}/u.test(name);
}
