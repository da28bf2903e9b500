import type { AnySlice, RowKind } from '../../domain/model/read-model.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import type { BlogReader } from '../../domain/ports/blog-reader.js';
import type { CategoryReader } from '../../domain/ports/category-reader.js';
import type { Generations } from '../../domain/ports/generations.js';
import type { JobQueue } from '../../domain/ports/job-queue.js';
import type { Leadership } from '../../domain/ports/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/read-model-writer.js';
import type { TagReader } from '../../domain/ports/tag-reader.js';

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
  readonly work: JobQueue;
  /** Why a row is quarantined. Null: it is not. */
  reasonNotToShow(kind: RowKind, id: string): Promise<string | null>;
  /** A new slice each time, with one row that the storage cannot hold. */
  readonly unstorable?: AnySlice;
}
