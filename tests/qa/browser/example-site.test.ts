import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { putDemo } from '../../support/dashboards/put-demo.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';
import { answers, FlakyServer } from '../../support/network/flaky-server.js';
import { sharedBrowser } from './browser.js';
import { keepScreenshot } from './keep-screenshot.js';

const NEWEST = 'The tap and the broken tap';
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="450"/>';

const README = 'docs/examples/site/README.md';

/** The site of docs/examples/site, started as its README describes, in a separate process on a free port. */
class ExampleSite {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  static async start(apiUrl: string, apiKey: string): Promise<ExampleSite> {
    const env = { PATH: process.env.PATH, API_URL: apiUrl, API_KEY: apiKey, PORT: '0' };
    const program = /^API_KEY=\S+ node (\S+)$/m.exec(await readFile(README, 'utf8'))?.[1];
    if (program === undefined) throw new Error(`${README} does not contain the command that starts the site`);
    // Its log of failures is part of the test, not of the output.
    const child = spawn(process.execPath, [program], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The site ended with ${code}, but should have continued`);
    });
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
    return new ExampleSite(child, line.replace(/.*: /, ''));
  }

  async stop(): Promise<void> {
    this.child.kill();
    await once(this.child, 'exit');
  }
}

describe('The example site', () => {
  // A browser may be slow on a busy machine.
  const browser = sharedBrowser();
  let api: ApiUnderTest;
  let server: FlakyServer;
  let site: ExampleSite;
  let page: Page;
  /** Errors that the browser reported, including scripts, styles and pictures that it may not load. */
  let complaints: string[];

  const heading = () => page.getByRole('heading', { level: 1 }).innerText();
  const titles = () => page.locator('.blogs h2').allInnerTexts();
  const open = (path: string) => page.goto(`${site.address}${path}`);

  before(async () => {
    api = await ApiUnderTest.start('memory');
    const { key } = await Caller.of(api, await putDemo(api));
    server = await FlakyServer.before(api.address);
    site = await ExampleSite.start(server.address, key);
  });

  after(async () => {
    await site?.stop();
    await server?.stop();
    await api?.stop();
  });

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 1100, height: 820 } });
    complaints = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('https://images.example.com/**', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
    );
  });

  afterEach(async () => {
    await page.close();
  });

  it('leads from the list to a category, a search and a blog', async () => {
    await open('/');
    expect(await page.title()).to.equal('Newest blogs · Halfbright Notes');
    expect(await titles()).to.have.length(10);
    expect((await titles())[0]).to.equal(NEWEST);
    await keepScreenshot(page, 'site');

    const categories = page.getByRole('navigation', { name: 'Categories' });
    await categories.getByRole('link', { name: 'Metalwork' }).click();
    expect(await heading()).to.equal('Metalwork');
    expect(await categories.locator('[aria-current=page]').allInnerTexts()).to.deep.equal(['Metalwork']);
    expect(await titles()).to.include(NEWEST);

    await page.getByRole('searchbox', { name: 'Search in titles' }).fill('BROKEN tap');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await heading()).to.equal('Titles with “BROKEN tap”');
    expect(await titles()).to.deep.equal([NEWEST]);

    await page.getByRole('link', { name: NEWEST }).click();
    expect(await heading()).to.equal(NEWEST);
    expect(await page.locator('.content em').innerText()).to.equal('half');
    expect(await page.getByAltText('A tap wrench above a block of steel').isVisible()).to.equal(true);

    await page.getByRole('main').getByRole('link', { name: 'Failure' }).click();
    expect(await heading()).to.equal('Tagged “Failure”');
    expect(await titles()).to.include(NEWEST);
    expect(complaints).to.deep.equal([]);
  });

  it('shows the categories as a tree', async () => {
    await open('/');
    const below = (names: readonly string[]) =>
      names.map((name) => `ul > li:has(> a:text-is("${name}"))`).join(' > ');
    const path = below(['Workshop', 'Metalwork', 'Brazing & soldering']);
    expect(await page.locator(`nav > ${path}`).count()).to.equal(1);
    expect(await page.locator(`nav > ${below(['Metalwork'])}`).count()).to.equal(0);
  });

  it('shows any input as text', async () => {
    const search = `"><img src=x onerror="alert('&lt;')">`;
    await open(`/search?q=${encodeURIComponent(search)}`);
    expect(await heading()).to.equal(`Titles with “${search}”`);
    expect(await page.getByRole('searchbox').inputValue()).to.equal(search);
    expect(await page.locator('img').count()).to.equal(0);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    for (const path of ['/blogs/the-tap-and-the-broken-tap', '/nothing-here', '/']) {
      await open(path);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.equal(360);
      const [field, button] = [page.getByRole('searchbox'), page.getByRole('button')];
      expect((await field.boundingBox())?.width, path).to.be.at.least(200);
      const { x = 0, width = 0 } = (await button.boundingBox()) ?? {};
      expect(x + width, path).to.be.at.most(340);
    }
    await keepScreenshot(page, 'site-on-a-phone');
  });

  it('shows that a page does not exist, and links to others', async () => {
    expect((await open('/blogs/nothing'))?.status()).to.equal(404);
    expect(await heading()).to.equal('Page not found');
    await page.getByRole('link', { name: 'To the newest blogs' }).click();
    expect(await heading()).to.equal('Newest blogs');
    for (const path of [
      '/nothing',
      '/categories/nothing',
      '/tags/nothing',
      '/?page=7',
      '/?page=x',
      '/blogs/%ff',
    ]) {
      expect((await fetch(`${site.address}${path}`)).status, path).to.equal(404);
    }
  });

  it('asks the reader to wait while the API refuses further requests', async () => {
    const refuses = answers(429, { 'Retry-After': '7' });
    server.expectTroubles(refuses, refuses, refuses);
    const response = await open('/search?q=7');
    server.expectTroubles();
    expect(response?.status()).to.equal(503);
    expect(response?.headers()['retry-after']).to.equal('7');
    expect(await page.getByRole('main').innerText()).to.contain('Try again in 7 seconds');
  });
});
