import { setTimeout as pause } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './content-api';
import { setting } from './settings';

/** The webhook expires everything that has this tag. */
export const CONTENT = 'content';

/** Cached until the webhook arrives, and for an hour at most if none does. */
const CACHED: Pick<RequestInit, 'cache' | 'next'> = {
  cache: 'force-cache',
  next: { tags: [CONTENT], revalidate: 3600 },
};

const api = createClient<paths>({
  baseUrl: setting('API_ORIGIN'),
  headers: { 'X-API-Key': setting('API_KEY') },
  fetch: fetchWithinLimit,
  // Without this, Next.js repeats the first response within a page, also to another attempt.
  keepalive: true,
});

/** A request that exceeds the rate limit waits until it is accepted. No build fails for it. */
async function fetchWithinLimit(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request);
    if (response.status !== 429) return response;
    await pause(Number(response.headers.get('Retry-After')) * 1000);
  }
}

export async function newestBlogs() {
  return (await blogPage(1, 20)).data;
}

/** All blogs of the website, without their content. */
export async function allBlogs() {
  const first = await blogPage(1, 100);
  const blogs = [...first.data];
  for (let page = 2; page <= first.pagination.pages; page += 1)
    blogs.push(...(await blogPage(page, 100)).data);
  return blogs;
}

async function blogPage(page: number, limit: number) {
  const query = { website_id: setting('WEBSITE_ID'), page, limit };
  const { data, response } = await api.GET('/api/v1/blogs', { params: { query }, ...CACHED });
  if (!data) throw failure(response);
  return data;
}

/** Null if no published blog has the slug. */
export async function blogBySlug(slug: string) {
  const params = { path: { slug }, query: { website_id: setting('WEBSITE_ID') } };
  const { data, response } = await api.GET('/api/v1/blogs/slug/{slug}', { params, ...CACHED });
  if (response.status === 404) return null;
  if (!data) throw failure(response);
  return data.data;
}

/** Whether the API shows this generation of the content. It waits up to a second for it. */
export async function showsGeneration(generation: number): Promise<boolean> {
  const params = { header: { 'X-Min-Generation': generation } };
  const { response } = await api.GET('/api/v1/tags', { params, cache: 'no-store' });
  return response.ok && Number(response.headers.get('X-Content-Generation')) >= generation;
}

function failure({ url, status }: Response): Error {
  return new Error(`${url} answered ${status}`);
}
