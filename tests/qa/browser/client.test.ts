import { expect } from 'chai';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { clientOf } from '../../support/http/client-under-test.js';
import { sharedBrowser } from './browser.js';

const PAGE = 'http://app.example';

describe('The client, in a browser', () => {
  // A browser may be slow on a busy machine.
  const browser = sharedBrowser();
  let api: ApiUnderTest;

  before(async () => {
    api = await ApiUnderTest.start('memory');
    await api.put('blogs', aBlog({ id: 'b1' }), aBlog({ id: 'b2' }));
  });
  after(() => api?.stop());

  it('runs as built, without a bundler', async () => {
    const statuses: number[] = [];
    const page = await browser().newPage();
    await page.route(`${PAGE}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>App</title>' }),
    );
    await page.route(`${PAGE}/client/*`, (route) =>
      route.fulfill({ path: `dist${new URL(route.request().url()).pathname}` }),
    );
    await page.route(`${PAGE}/api/**`, async (route) => {
      const response = await route.fetch({ url: route.request().url().replace(PAGE, api.address) });
      statuses.push(response.status());
      await route.fulfill({ response });
    });
    await page.goto(`${PAGE}/`);

    const answers = await page.evaluate(`(async () => {
      const { BlogApiError, BlogClient } = await import('/client/blog-client.js');
      const client = new BlogClient({ url: location.origin, apiKey: '${(await clientOf(api)).key}' });
      const ids = [];
      for await (const { id } of client.allBlogs({ limit: 1 })) ids.push(id);
      const again = await client.listBlogs({ limit: 1, page: 1 });
      const refusal = await client.listBlogs({ limit: 0 }).catch((error) => error);
      return { ids, again: again.data[0].id, kind: refusal instanceof BlogApiError && refusal.kind };
    })()`);
    expect(answers).to.deep.equal({ ids: ['b2', 'b1'], again: 'b2', kind: 'bad-request' });
    expect(statuses).to.deep.equal([200, 200, 304, 400]);
  });
});
