import { BlogClient, type BlogClientOptions } from '../../../src/client/blog-client.js';
import type { ApiUnderTest } from './api-under-test.js';
import { Caller } from './caller.js';

/** A client with its own key of an organization. */
export async function clientOf(
  api: ApiUnderTest,
  { organizationId = 'org_a', ...options }: Partial<BlogClientOptions> & { organizationId?: string } = {},
) {
  const { key } = await Caller.of(api, organizationId);
  return { client: new BlogClient({ url: api.address, apiKey: key, ...options }), key };
}
