import type { ReadModelSlice, RowKind } from '../../domain/model/read-model.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { BlogReader } from '../../domain/ports/reading/blog-reader.js';
import type { CategoryReader } from '../../domain/ports/reading/category-reader.js';
import type { Generations } from '../../domain/ports/reading/generations.js';
import type { TagReader } from '../../domain/ports/reading/tag-reader.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';

export interface ReadModelWriterSubject {
  readonly subject: ReadModelWriter;
  /** Of the same read model. */
  readonly leadership: Leadership;
  /** Readers of the same read model, which pass their own contracts. */
  readonly apiKeys: ApiKeyDirectory;
  readonly blogs: BlogReader;
  readonly categories: CategoryReader;
  readonly tags: TagReader;
  readonly generations: Generations;
  readonly jobs: JobQueue;
  /** Why a row is not shown as it is. Null: it is. */
  reasonNotToShow(kind: RowKind, id: string): Promise<string | null>;
  /** A new slice each time, with one row that the storage cannot hold. */
  readonly unstorable?: ReadModelSlice;
}
