import { API_KEY, API_ORIGIN } from 'astro:env/server';
import createClient from 'openapi-fetch';
import type { paths } from './content-api';

export const api = createClient<paths>({
  baseUrl: API_ORIGIN,
  headers: { 'X-API-Key': API_KEY },
  fetch: fetchWithinLimit,
});

/** A request that exceeds the rate limit waits until it is accepted. No build fails for it. */
async function fetchWithinLimit(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request);
    if (response.status !== 429) return response;
    const seconds = Number(response.headers.get('Retry-After'));
    await new Promise((resume) => setTimeout(resume, seconds * 1000));
  }
}

export function failure({ url, status }: Response): Error {
  return new Error(`${url} answered ${status}`);
}
