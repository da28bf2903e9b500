import type { BlogRow } from '../../domain/model/read-model.js';
import type { BlogReader } from '../../domain/ports/reading/blog-reader.js';

export interface BlogReaderSubject {
  readonly subject: BlogReader;
  /** Stores these blogs for the reader, in addition to existing ones. */
  put(...blogs: readonly BlogRow[]): Promise<void>;
}
