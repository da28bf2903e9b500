import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';

const ENDPOINTS = [
  '/api/v1/blogs',
  '/api/v1/blogs/b1',
  '/api/v1/blogs/slug/slug-of-b1?website_id=web_a1',
  '/api/v1/categories',
  '/api/v1/tags',
];
const OPERATORS_PATHS = [
  'livez',
  'readyz',
  'healthz',
  'health',
  'status',
  'ping',
  'metrics',
  'openapi.json',
  'openapi.yaml',
  'swagger.json',
  'docs',
  'docs/',
  'favicon.ico',
  'robots.txt',
  'debug/pprof',
  'admin',
];
const DASHBOARDS_PATHS = [
  'keys',
  'api-keys',
  'websites',
  'organizations',
  'websites/web_a1',
  'search',
  'posts',
];

describe('The public port', () => {
  let api: ApiUnderTest;
  let caller: Caller;

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    await api.put('blogs', aBlog({ id: 'b1' }));
  });
  after(() => api.stop());

  for (const path of ENDPOINTS) {
    it(`spec 4: serves GET ${path}, with the rate-limit and cache headers`, async () => {
      const answer = await caller.get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(answer.headers['x-cache']).to.be.oneOf(['HIT', 'MISS']);
      expect(answer.headers['x-ratelimit-remaining']).to.match(/^[0-9]+$/);
      expect(answer.headers['x-ratelimit-reset']).to.match(/^[0-9]{13}$/);
    });

    it(`spec 9: serves ${path} only as version v1`, async () => {
      for (const version of ['v0', 'v2', 'v1.0', 'latest', '']) {
        expect((await caller.get(path.replace('v1', version))).status, version).to.equal(404);
      }
    });

    it(`spec 4: ${path} accepts no body`, async () => {
      const answer = await fetch(`${api.address}${path}`, {
        method: 'POST',
        headers: { 'X-API-Key': caller.key, 'Content-Type': 'application/json' },
        body: '{"title":"x"}',
      });
      expect(answer.status).to.equal(405);
    });
  }

  for (const path of OPERATORS_PATHS) {
    it(`contract 26: /${path} does not exist on this port`, async () => {
      for (const prefix of ['/', '/api/', '/api/v1/']) {
        const answer = await caller.get(`${prefix}${path}`);
        expect(answer.status, prefix).to.equal(404);
        expect(answer.json().error.message).not.to.equal('Blog not found');
      }
    });
  }

  for (const path of DASHBOARDS_PATHS) {
    it(`spec 5: /api/v1/${path} does not exist, because the API manages nothing`, async () => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect((await caller.send(method, `/api/v1/${path}`)).status).to.equal(404);
      }
    });
  }
});
