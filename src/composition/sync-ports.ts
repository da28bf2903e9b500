import type { ChangeFeed } from '../domain/ports/change-feed.js';
import type { ContentSource } from '../domain/ports/content-source.js';
import type { Generations } from '../domain/ports/generations.js';
import type { JobQueue } from '../domain/ports/job-queue.js';
import type { Leadership } from '../domain/ports/leadership.js';
import type { PublishedGenerations } from '../domain/ports/published-generations.js';
import type { ReadModelWriter } from '../domain/ports/read-model-writer.js';

/** What the worker stands on: swap one, and the steps stay the same. */
export interface SyncPorts {
  readonly leadership: Leadership;
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly writer: ReadModelWriter;
  readonly list: JobQueue;
  readonly published: PublishedGenerations & Generations;
}
