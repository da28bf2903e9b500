// Written by `npm run openapi`, from what the API takes and answers.

export interface Blog {
  /** Unique identifier of the blog */
  readonly id: string;
  /** Title */
  readonly title: string;
  /** Unique within one website; may repeat across the websites of an organization */
  readonly slug: string;
  /** Short summary */
  readonly excerpt: string | null;
  /** Title for search engines */
  readonly metaTitle: string | null;
  /** Description for search engines */
  readonly metaDescription: string | null;
  /** Null when no image is set */
  readonly featuredImageUrl: string | null;
  /** Alternative text of the image */
  readonly featuredImageAlt: string | null;
  /** Number of words of the content */
  readonly wordCount: number;
  /** Reading time in minutes */
  readonly readingTimeMinutes: number;
  /** UTC, with milliseconds */
  readonly publishedAt: string;
  /** Website that owns the blog */
  readonly websiteId: string;
  readonly categories: readonly {
    /** Name */
    readonly name: string;
    /** Slug, to filter by */
    readonly slug: string;
  }[];
  readonly tags: readonly {
    /** Name */
    readonly name: string;
    /** Slug, to filter by */
    readonly slug: string;
  }[];
}

export interface BlogDetail {
  /** Unique identifier of the blog */
  readonly id: string;
  /** Title */
  readonly title: string;
  /** Unique within one website; may repeat across the websites of an organization */
  readonly slug: string;
  /** Short summary */
  readonly excerpt: string | null;
  /** Title for search engines */
  readonly metaTitle: string | null;
  /** Description for search engines */
  readonly metaDescription: string | null;
  /** Null when no image is set */
  readonly featuredImageUrl: string | null;
  /** Alternative text of the image */
  readonly featuredImageAlt: string | null;
  /** Number of words of the content */
  readonly wordCount: number;
  /** Reading time in minutes */
  readonly readingTimeMinutes: number;
  /** UTC, with milliseconds */
  readonly publishedAt: string;
  /** Website that owns the blog */
  readonly websiteId: string;
  /** The full content */
  readonly contentHtml: string;
  readonly categories: readonly Term[];
  readonly tags: readonly Term[];
}

export interface BlogPage {
  readonly data: readonly Blog[];
  readonly pagination: Pagination;
}

export interface Category {
  /** Identifier */
  readonly id: string;
  /** Name */
  readonly name: string;
  /** Slug, to filter blogs by */
  readonly slug: string;
  /** Description, empty when there is none */
  readonly description: string;
  /** Id of the parent category; null, or one that is not in the list, means the top */
  readonly parentId: string | null;
  /** Position in the list */
  readonly sortOrder: number;
  /** Website that owns the category */
  readonly websiteId: string;
}

export interface CategoryList {
  readonly data: readonly Category[];
}

export interface ErrorEnvelope {
  readonly error: {
    /** Description of the error, for people */
    readonly message: string;
    /** The HTTP status */
    readonly status: number;
  };
}

export interface OneBlog {
  readonly data: BlogDetail;
}

export interface Pagination {
  /** This page, 1-indexed */
  readonly page: number;
  /** Results per page */
  readonly limit: number;
  /** Number of matching blogs on all pages */
  readonly total: number;
  /** Number of pages with this limit */
  readonly pages: number;
}

export interface Tag {
  /** Identifier */
  readonly id: string;
  /** Name */
  readonly name: string;
  /** Slug, to filter blogs by */
  readonly slug: string;
  /** Hexadecimal color code */
  readonly color: string;
  /** Website that owns the tag */
  readonly websiteId: string;
}

export interface TagList {
  readonly data: readonly Tag[];
}

export interface Term {
  /** Identifier */
  readonly id: string;
  /** Name */
  readonly name: string;
  /** Slug, to filter by */
  readonly slug: string;
}

export interface ListBlogsQuery {
  /** Page, 1-indexed */
  readonly page?: number | null | undefined;
  /** Results per page */
  readonly limit?: number | null | undefined;
  /** Category slug, matched exactly */
  readonly category?: string | null | undefined;
  /** Tag slug, matched exactly */
  readonly tag?: string | null | undefined;
  /** Part of the title, case-insensitive; blank: no search */
  readonly search?: string | null | undefined;
  /** Restrict to one website */
  readonly website_id?: string | null | undefined;
}

export interface GetBlogBySlugQuery {
  /** Website that the slug belongs to: slugs are unique only within one */
  readonly website_id: string;
}

export interface ListCategoriesQuery {
  /** Restrict to one website */
  readonly website_id?: string | null | undefined;
}

export interface ListTagsQuery {
  /** Restrict to one website */
  readonly website_id?: string | null | undefined;
}
