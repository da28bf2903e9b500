import { revalidateTag } from 'next/cache';
import { Webhook } from 'standardwebhooks';
import { CONTENT, showsGeneration } from '../../../lib/content';
import { setting } from '../../../lib/settings';

interface ContentPublished {
  type: 'content.published';
  data: { organizationId: string; generation: number };
}

/** The service calls this after a publication. It repeats a call that gets no 2xx. */
export async function POST(request: Request) {
  const body = await request.text();
  let message: ContentPublished;
  try {
    const headers = Object.fromEntries(request.headers);
    message = new Webhook(setting('WEBHOOK_SECRET')).verify(body, headers) as ContentPublished;
  } catch {
    return new Response('The signature is wrong', { status: 401 });
  }
  // If the API cannot be read, as with a revoked key, the pages stay as they are.
  if (!(await showsGeneration(message.data.generation))) {
    return new Response('The API does not show this generation yet', { status: 503 });
  }
  // Not `max`, with which the next visitor would still see the old page.
  revalidateTag(CONTENT, { expire: 0 });
  return new Response(null, { status: 204 });
}
