import type { ChangedBlog, ContentChange, WebhookDelivery, WebhookMessage } from '../model/webhook.js';

const MAX_BLOGS = 100;
/** The changes that are kept for a message. A blog may have changed more than once. */
export const MAX_CHANGES = 2 * MAX_BLOGS;

/** What an endpoint is told, the same at each attempt. */
export function messageOf({ organizationId, generation, changes }: WebhookDelivery): WebhookMessage {
  const blogs = new Map<string, ChangedBlog>();
  for (const change of changes) {
    if (change.kind !== 'blog') continue;
    const { id, slug, websiteId } = change;
    blogs.set(JSON.stringify([id, slug, websiteId]), { id, slug, websiteId });
  }
  const areKnown = blogs.size <= MAX_BLOGS && changes.every(({ kind }) => kind !== 'everything');
  const terms = changes.some(({ kind }) => kind !== 'blog');
  return { organizationId, generation, blogs: areKnown ? [...blogs.values()] : null, terms };
}

/** Of too many changes, only their websites are kept. */
export function fewChanges(changes: readonly ContentChange[]): readonly ContentChange[] {
  if (changes.length <= MAX_CHANGES) return changes;
  const websiteIds = new Set(changes.map(({ websiteId }) => websiteId));
  return [...websiteIds].map((websiteId) => ({ kind: 'everything', websiteId }));
}
