import type { OPERATIONS } from '../../src/adapters/http/endpoints/endpoints.js';
import { putDemo } from '../support/dashboards/put-demo.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';

const REQUESTS: Readonly<Record<(typeof OPERATIONS)[number]['id'], string>> = {
  listBlogs: '/api/v1/blogs?limit=1',
  getBlogById: '/api/v1/blogs/blog_hb_045',
  getBlogBySlug: '/api/v1/blogs/slug/the-tap-and-the-broken-tap?website_id=site_halfbright',
  listCategories: '/api/v1/categories',
  listTags: '/api/v1/tags',
};

/** An example for each operation, in the format of OpenAPI: the API's answer to a caller of the demo. */
export async function demoAnswers(): Promise<Record<string, { readonly value: unknown }>> {
  const api = await ApiUnderTest.start('memory');
  try {
    const caller = await Caller.of(api, await putDemo(api));
    const examples = Object.entries(REQUESTS).map(async ([id, path]) => [
      id,
      { summary: path, value: (await caller.get(path)).json() },
    ]);
    return Object.fromEntries(await Promise.all(examples));
  } finally {
    await api.stop();
  }
}
