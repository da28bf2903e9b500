import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { chromium, DemoService, npm } from './demo-service.js';

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
    const copy = await service.install('astro');
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

    await service.replaceKey(() => service.configure('astro'));
    expect(await build()).to.match(/Downloaded 0 of \d+ blogs/);
  });

  it('show an edit, also after a change of keys, and keep their pages without one, on Next.js', async () => {
    await npm(await service.install('nextjs'), 'run', 'build');
    let server = await service.serveNextjs();
    try {
      const { slug, title } = await service.newest();
      const address = `${service.site}/blog/${slug}`;
      const shows = (text: string) => eventually(async () => expect(await pageAt(address)).to.contain(text));
      await shows(title);

      await service.edit('Edited while visitors read');
      await shows('Edited while visitors read');
      expect(await pageAt(service.site)).to.contain('Edited while visitors read');

      await service.replaceKey(async () => {
        await server.end('SIGTERM');
        server = await service.serveNextjs();
      });
      await service.edit('Edited after the change of keys');
      await shows('Edited after the change of keys');

      await service.revoke();
      await service.program.printed(/answered 503/);
      expect(await pageAt(address)).to.contain('Edited after the change of keys');
    } finally {
      await server.end('SIGTERM');
    }
  });
});
