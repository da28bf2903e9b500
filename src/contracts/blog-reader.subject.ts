import type { BlogRow } from '../domain/model/read-model.js';
import type { BlogReader } from '../domain/ports/blog-reader.js';

export interface BlogReaderSubject {
  readonly subject: BlogReader;
  /** Makes the reader find these blogs, besides those that it finds already. */
  put(...blogs: readonly BlogRow[]): Promise<void>;
}
