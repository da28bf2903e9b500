/** `blog-content-read-api/contracts`: a suite for each port, and a read model in memory. */

export {
  type ApiKeyDirectorySubject,
  apiKeyDirectoryContract,
} from '../contracts/api-key-directory.contract.js';
export { blogReaderContract } from '../contracts/blog-reader.contract.js';
export type { BlogReaderSubject } from '../contracts/blog-reader.subject.js';
export { type CategoryReaderSubject, categoryReaderContract } from '../contracts/category-reader.contract.js';
export { type ChangeFeedSubject, changeFeedContract } from '../contracts/change-feed.contract.js';
export { type ClockSubject, clockContract } from '../contracts/clock.contract.js';
export { contentSourceContract } from '../contracts/content-source.contract.js';
export type { ContentSourceSubject } from '../contracts/content-source.subject.js';
export { MemoryApiKeyDirectory } from '../contracts/fakes/memory-api-key-directory.js';
export { MemoryBlogReader } from '../contracts/fakes/memory-blog-reader.js';
export { MemoryCategoryReader } from '../contracts/fakes/memory-category-reader.js';
export { MemoryChangeFeed } from '../contracts/fakes/memory-change-feed.js';
export { MemoryContentSource } from '../contracts/fakes/memory-content-source.js';
export { MemoryGenerations } from '../contracts/fakes/memory-generations.js';
export { MemoryKeyManager } from '../contracts/fakes/memory-key-manager.js';
export { MemoryLeadership } from '../contracts/fakes/memory-leadership.js';
export { MemoryPublishedGenerations } from '../contracts/fakes/memory-published-generations.js';
export { MemoryReadModel } from '../contracts/fakes/memory-read-model.js';
export { MemorySyncNotes } from '../contracts/fakes/memory-sync-notes.js';
export { MemoryTagReader } from '../contracts/fakes/memory-tag-reader.js';
export {
  type GenerationHistorySubject,
  generationHistoryContract,
} from '../contracts/generation-history.contract.js';
export { type GenerationsSubject, generationsContract } from '../contracts/generations.contract.js';
export { jobQueueContract } from '../contracts/job-queue.contract.js';
export type { JobQueueSubject } from '../contracts/job-queue.subject.js';
export { keyHasherContract } from '../contracts/key-hasher.contract.js';
export { type KeyManagerSubject, keyManagerContract } from '../contracts/key-manager.contract.js';
export {
  type LeadershipSubject,
  type LeadershipWorker,
  leadershipContract,
} from '../contracts/leadership.contract.js';
export { type LogSubject, logContract } from '../contracts/log.contract.js';
export { type MetricsSubject, metricsContract } from '../contracts/metrics.contract.js';
export {
  type PublishedGenerationsSubject,
  publishedGenerationsContract,
} from '../contracts/published-generations.contract.js';
export { readModelWriterContract } from '../contracts/read-model-writer.contract.js';
export type { ReadModelWriterSubject } from '../contracts/read-model-writer.subject.js';
export { requestLogContract } from '../contracts/request-log.contract.js';
export type { RequestLogSubject } from '../contracts/request-log.subject.js';
export { type ResponseCacheSubject, responseCacheContract } from '../contracts/response-cache.contract.js';
export type { Runner } from '../contracts/runner.js';
export type { AdapterClass } from '../contracts/support/adapter-class.js';
export type { Lacking } from '../contracts/support/capabilities.js';
export { LeadingWriter } from '../contracts/support/leading-writer.js';
export { aBlog, aCategory, aKey, aTag } from '../contracts/support/rows.js';
export { type SyncNotesSubject, syncNotesContract } from '../contracts/sync-notes.contract.js';
export { type TagReaderSubject, tagReaderContract } from '../contracts/tag-reader.contract.js';
