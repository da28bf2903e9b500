import type { Context } from 'koa';
import type { CachedAnswer } from '../../domain/queries/answer-from-cache.js';
import { sendBestForm } from './body-forms.js';

/** Sends a 200, or a 304 where the client has this very answer already. */
export async function sendAnswer(context: Context, { answer, source }: CachedAnswer): Promise<void> {
  context.set({
    ETag: answer.etag,
    // A client asks again each time, so that a change in the dashboard shows at once; no shared cache mixes keys.
    'Cache-Control': 'private, no-cache',
    Vary: 'X-API-Key, Accept-Encoding',
    'X-Cache': source === 'computed' ? 'MISS' : 'HIT',
  });
  // Not Koa's `fresh`: it never says 304 to a client that sends `Cache-Control: no-cache`, as Node's fetch does.
  if (namesTag(context.get('If-None-Match'), answer.etag)) {
    context.status = 304;
    return;
  }
  context.status = 200;
  await sendBestForm(context, answer.body);
}

/** Weak comparison, as If-None-Match wants it. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.some((tag) => etag.endsWith(tag));
}
