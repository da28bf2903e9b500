/** `blog-content-read-api/contracts`: a suite for each port, and a read model in memory. */

export {
  type ResponseCacheSubject,
  responseCacheContract,
} from '../contracts/cache/response-cache.contract.js';
export { type ChangeFeedSubject, changeFeedContract } from '../contracts/dashboard/change-feed.contract.js';
export { contentSourceContract } from '../contracts/dashboard/content-source.contract.js';
export type { ContentSourceSubject } from '../contracts/dashboard/content-source.subject.js';
export { type KeyManagerSubject, keyManagerContract } from '../contracts/dashboard/key-manager.contract.js';
export { MemoryApiKeyDirectory } from '../contracts/fakes/memory-api-key-directory.js';
export { MemoryBlogReader } from '../contracts/fakes/memory-blog-reader.js';
export { MemoryCategoryReader } from '../contracts/fakes/memory-category-reader.js';
export { MemoryChangeFeed } from '../contracts/fakes/memory-change-feed.js';
export { MemoryContentSource } from '../contracts/fakes/memory-content-source.js';
export { MemoryGenerations } from '../contracts/fakes/memory-generations.js';
export { MemoryKeyManager } from '../contracts/fakes/memory-key-manager.js';
export { MemoryLeadership } from '../contracts/fakes/memory-leadership.js';
export { MemoryReadModel } from '../contracts/fakes/memory-read-model.js';
export { MemorySyncNotes } from '../contracts/fakes/memory-sync-notes.js';
export { MemoryTagReader } from '../contracts/fakes/memory-tag-reader.js';
export { MemoryWebhookDeliveries } from '../contracts/fakes/memory-webhook-deliveries.js';
export { MemoryWebhookSender } from '../contracts/fakes/memory-webhook-sender.js';
export { requestLogContract } from '../contracts/limits/request-log.contract.js';
export type { RequestLogSubject } from '../contracts/limits/request-log.subject.js';
export { readModelWriterContract } from '../contracts/read-model/read-model-writer.contract.js';
export type { ReadModelWriterSubject } from '../contracts/read-model/read-model-writer.subject.js';
export {
  type ApiKeyDirectorySubject,
  apiKeyDirectoryContract,
} from '../contracts/reading/api-key-directory.contract.js';
export { blogReaderContract } from '../contracts/reading/blog-reader.contract.js';
export type { BlogReaderSubject } from '../contracts/reading/blog-reader.subject.js';
export {
  type CategoryReaderSubject,
  categoryReaderContract,
} from '../contracts/reading/category-reader.contract.js';
export { type GenerationsSubject, generationsContract } from '../contracts/reading/generations.contract.js';
export { type TagReaderSubject, tagReaderContract } from '../contracts/reading/tag-reader.contract.js';
export type { Runner } from '../contracts/runner.js';
export type { AdapterClass } from '../contracts/support/adapter-class.js';
export type { Lacking } from '../contracts/support/capabilities.js';
export { LeadingWriter } from '../contracts/support/leading-writer.js';
export { aBlog, aCategory, aKey, aTag } from '../contracts/support/rows.js';
export { jobQueueContract } from '../contracts/sync/job-queue.contract.js';
export type { JobQueueSubject } from '../contracts/sync/job-queue.subject.js';
export {
  type LeadershipSubject,
  type LeadershipWorker,
  leadershipContract,
} from '../contracts/sync/leadership.contract.js';
export { type SyncNotesSubject, syncNotesContract } from '../contracts/sync/sync-notes.contract.js';
export {
  type WebhookDeliveriesSubject,
  webhookDeliveriesContract,
} from '../contracts/sync/webhook-deliveries.contract.js';
export {
  type WebhookSenderSubject,
  webhookSenderContract,
} from '../contracts/sync/webhook-sender.contract.js';
export { type ClockSubject, clockContract } from '../contracts/system/clock.contract.js';
export { keyHasherContract } from '../contracts/system/key-hasher.contract.js';
export { type LogSubject, logContract } from '../contracts/system/log.contract.js';
export { type MetricsSubject, metricsContract } from '../contracts/system/metrics.contract.js';
