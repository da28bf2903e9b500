import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { EVERY_PATH } from './every-path.js';

const MALFORMED = [
  ...['%', '%F', '%FF', '%GG', '%C3', '%C3%28', '%ED%A0%80', '%C0%AF', '%F4%90%80%80', 'a%', '\xff'],
  // UTF-8 that is not percent-encoded.
  ...['é', 'à', '漢', '😀'].map((letter) => Buffer.from(letter).toString('latin1')),
];
const OTHER_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];
const UNKNOWN = [
  ...['/', '/api', '/api/v1', '/api/v1/', '/blogs', '/v1/blogs', '/api/v1/blog', '/api/v1/blogs//'],
  ...['/api/v1//blogs', '//api/v1/blogs', '/api/v1/blogs/b1//', '/api/v1/blogs/b1/comments'],
  ...['/api/v1/blogs/slug/a/b', '/api/v1/categories/c1', '/api/v1/tags/t1', '/api/v1/tags//'],
  ...['/api/v1/posts/slug/a?website_id=web_a1', '/api/v1/./blogs', '/api/v1/x/../blogs', '/API/v1/blogs'],
  ...['/api/V1/blogs', '/api/v1/Blogs', '/api/v1/blogs/SLUG/a?website_id=web_a1', '/api/v1/categories;x=1'],
];
/** Only v1 exists. */
const OTHER_VERSIONS = ['v0', 'v2', 'v1.0', 'latest', ''];
/** What operators have on their own port, and what the dashboard manages. */
const ELSEWHERE = [
  ...['livez', 'readyz', 'healthz', 'metrics', 'openapi.json', 'openapi.yaml', 'docs', 'docs/', 'admin'],
  ...['keys', 'api-keys', 'websites', 'organizations', 'websites/web_a1', 'search', 'posts'],
];

describe('Addresses and methods', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const expectRefusal = async (status: number, path: string, method = 'GET') => {
    const answer = await caller.send(method, path);
    expect(answer.status, `${method} ${path}`).to.equal(status);
    expect(answer.json(), `${method} ${path}`).to.have.nested.property('error.status', status);
    return answer;
  };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    await api.put('blogs', aBlog({ id: 'b1' }), aBlog({ id: 'é 漢/ü', slug: 'voilà / voilà' }));
  });
  after(() => api.stop());

  for (const malformed of MALFORMED) {
    it(`contract 5: the malformed ${escape(malformed)} is refused anywhere in an address`, async () => {
      for (const path of [
        ...['page', 'search', 'website_id', 'unknown'].map((name) => `/api/v1/blogs?${name}=${malformed}`),
        `/api/v1/blogs?${malformed}=1`,
        `/api/v1/tags?unknown=${malformed}`,
        `/api/v1/blogs/b1?unknown=${malformed}`,
        `/api/v1/blogs/${malformed}`,
        `/api/v1/blogs/slug/${malformed}?website_id=web_a1`,
        `/api/v1/blogs/slug/slug-of-b1?website_id=${malformed}`,
        `/${malformed}`,
        `/api/v1/${malformed}/blogs`,
      ]) {
        await expectRefusal(400, path);
      }
    });
  }

  it('contract 5: a NUL is a 400 in a parameter, and a 404 in a path', async () => {
    for (const name of ['page', 'limit', 'category', 'tag', 'search', 'website_id']) {
      await expectRefusal(400, `/api/v1/blogs?${name}=1%001`);
    }
    await expectRefusal(400, '/api/v1/categories?website_id=a%00');
    await expectRefusal(400, '/api/v1/blogs/slug/slug-of-b1?website_id=%00');
    for (const path of ['/api/v1/blogs/b1%00', '/api/v1/blogs/slug/%00?website_id=web_a1']) {
      expect((await expectRefusal(404, path)).json().error.message).to.equal('Blog not found');
    }
    for (const path of ['/%00', '/api/v1/blogs%00']) await expectRefusal(404, path);
  });

  it('contract 5: well-formed UTF-8 is accepted', async () => {
    for (const path of [
      '/api/v1/blogs/%C3%A9%20%E6%BC%A2%2F%C3%BC',
      '/api/v1/blogs/%c3%a9%20%e6%bc%a2%2f%c3%bc',
      '/api/v1/blogs/slug/voil%C3%A0%20%2F%20voil%C3%A0?website_id=web_a1',
    ]) {
      expect((await caller.get(path)).json().data.id).to.equal('é 漢/ü');
    }
    expect((await caller.get('/api/v1/blogs?search=%F0%9F%98%80%EF%BB%BF')).status).to.equal(200);
  });

  for (const path of UNKNOWN) {
    it(`contract 8: ${path} is unknown, whatever the method`, async () => {
      for (const method of ['GET', ...OTHER_METHODS]) await expectRefusal(404, path, method);
      expect((await caller.send('HEAD', path)).status).to.equal(404);
    });
  }

  for (const path of ELSEWHERE) {
    it(`contract 26, spec 5: /${path} does not exist on this port`, async () => {
      for (const prefix of ['/', '/api/', '/api/v1/']) {
        const { message } = (await expectRefusal(404, `${prefix}${path}`)).json().error;
        expect(message).not.to.equal('Blog not found');
        await expectRefusal(404, `${prefix}${path}`, 'POST');
      }
    });
  }

  for (const path of EVERY_PATH) {
    it(`contract 8, spec 9: ${path} allows only GET and HEAD, with or without a slash, and only as v1`, async () => {
      for (const method of OTHER_METHODS) {
        const answer = await expectRefusal(405, path, method);
        expect(answer.headers.allow, method).to.equal('GET, HEAD');
      }
      const answer = await caller.get(path);
      expect(answer.status).to.equal(200);
      const [before = '', query = ''] = path.split('?');
      const slashed = `${before}/${query && `?${query}`}`;
      expect((await caller.get(slashed)).text).to.equal(answer.text);
      await expectRefusal(405, slashed, 'POST');
      for (const version of OTHER_VERSIONS) await expectRefusal(404, path.replace('v1', version));
    });
  }

  it('is refused or answered as before when it is repeated', async () => {
    for (let times = 0; times < 2; times++) {
      expect((await caller.get('/api/v1/tags?repeated')).status).to.equal(200);
      await expectRefusal(400, '/api/v1/blogs?limit=0');
      await expectRefusal(404, '/api/v1/none');
      await expectRefusal(404, '/api/v1/blogs/%00');
      await expectRefusal(405, '/api/v1/tags?repeated', 'POST');
    }
  });
});
