import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { urlOfRunning } from '../../../src/adapters/embedded/embedded-postgres.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { chromium, DemoService, npm, ORGANIZATION } from './demo-service.js';

const REVOKE = 'update api_keys set revoked_at = now() where organization_id = $1';

/** What a person sees, where there is a browser. */
async function pageAt(url: string): Promise<string> {
  return chromium('--dump-dom', url) ?? (await fetch(url)).text();
}

describe('The examples of websites', function () {
  this.timeout(0);
  let service: DemoService;

  before(async () => {
    service = await DemoService.start();
  });

  after(() => service?.end());

  it('download only what changed, on Astro', async () => {
    const copy = await service.install('astro', '.env');
    // Astro needs a newer Node than this project.
    const build = () => npm(copy, 'exec', '--yes', '--package=node@22', '--', 'npm', 'run', 'build');
    const page = (slug: string) => readFile(join(copy, `dist/blog/${slug}/index.html`), 'utf8');
    expect(await build()).to.match(/Downloaded (\d+) of \1 blogs/);
    const { slug, title } = await service.newest();
    expect(await page(slug)).to.contain(title);
    const pages = await readdir(join(copy, 'dist'));
    expect(pages).to.include.members(['category', 'tag', 'rss.xml', 'sitemap-index.xml']);

    expect(await build()).to.contain('Nothing has changed');

    const edited = 'Edited between two builds';
    await service.edit(edited);
    await eventually(async () => expect((await service.newest()).title).to.equal(edited));
    expect(await build()).to.match(/Downloaded 1 of \d+ blogs/);
    expect(await page(slug)).to.contain(edited);
  });

  it('show an edit, and keep their pages when the key is revoked, on Next.js', async () => {
    const server = await service.serveNextjs();
    try {
      const { slug, title } = await service.newest();
      const address = `${service.site}/blog/${slug}`;
      expect(await pageAt(address)).to.contain(title);

      const edited = 'Edited while visitors read';
      await service.edit(edited);
      await eventually(async () => expect(await pageAt(address)).to.contain(edited));
      expect(await pageAt(service.site)).to.contain(edited);

      const dashboard = await urlOfRunning(join(service.folder, '.data/postgres'), 'dashboard');
      await runSql(dashboard ?? '', REVOKE, [ORGANIZATION]);
      await eventually(async () => expect((await service.get('/tags')).status).to.equal(401));
      await service.program.printed(/answered 503/);
      expect(await pageAt(address)).to.contain(edited);
    } finally {
      await server.end('SIGTERM');
    }
  });
});
