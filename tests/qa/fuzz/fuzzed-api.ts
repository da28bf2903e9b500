import { expect } from 'chai';
import {
  GET_BLOG_BY_ID,
  GET_BLOG_BY_SLUG,
  LIST_BLOGS,
} from '../../../src/adapters/http/endpoints/endpoints.js';
import { aBlog, aCategory, aTag } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { sendRequest } from '../../support/http/send-request.js';
import type { Stage } from '../../support/http/stages.js';
import { exampleOf } from './generated-parameters.js';
import { type GeneratedRequest, VALID_KEY } from './generated-requests.js';

const { category, tag, website_id } = LIST_BLOGS.query.properties;
const organizationId = 'org_a';
const websiteId = exampleOf(website_id);

/** An API whose content has the names that the schemas give as examples. */
export async function startFuzzedApi(stage: Stage): Promise<ApiUnderTest> {
  const api = await ApiUnderTest.start(stage, { window: { limit: 10_000_000, lengthMs: 60_000 } });
  const terms = {
    categories: [{ id: 'category', name: 'A category', slug: exampleOf(category) }],
    tags: [{ id: 'tag', name: 'A tag', slug: exampleOf(tag) }],
  };
  const slug = exampleOf(GET_BLOG_BY_SLUG.segment);
  await api.putKey(VALID_KEY, organizationId);
  await api.put('blogs', aBlog({ id: exampleOf(GET_BLOG_BY_ID.segment), slug, websiteId, ...terms }));
  await api.put('categories', aCategory({ id: 'category', websiteId }));
  await api.put('tags', aTag({ id: 'tag', websiteId }));
  return api;
}

/** `sendRequest` checks for every request of the tests that the answer is as documented. */
export async function expectRightAnswer(api: ApiUnderTest, request: GeneratedRequest): Promise<void> {
  const { method, path, headers, expected } = request;
  const answer = await sendRequest(api.address, path, headers, method);
  expect(answer.status).to.equal(expected.status);
  if (method === 'HEAD') return;
  for (const name of expected.names) {
    expect(JSON.parse(answer.decompressed).error.message).to.include(`${name} `);
  }
}
