import type { BlogFields } from './blog-fields.js';
import type { Term } from './term.js';

/** A published blog without its content. `categories` and `tags` are in display order. */
export interface Blog extends BlogFields {
  readonly id: string;
  readonly websiteId: string;
  readonly title: string;
  readonly slug: string;
  /** Milliseconds since 1970, UTC. The projection truncates finer digits. */
  readonly publishedAt: number;
  readonly categories: readonly Term[];
  readonly tags: readonly Term[];
}

export interface BlogDetail extends Blog {
  readonly contentHtml: string;
}
