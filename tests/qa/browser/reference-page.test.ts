import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { RunningProgram } from '../../support/programs/program.js';
import { adminAddressOf } from '../../support/programs/running-programs.js';
import { sharedBrowser } from './browser.js';
import { keepScreenshot } from './keep-screenshot.js';

const BYTES_OF_AN_EMPTY_PAGE = 30_000;

describe("The reference on the operators' port, in a browser,", () => {
  const browser = sharedBrowser();
  let folder: string;
  let demo: RunningProgram | null = null;
  let key: string;
  let page: Page;
  const complaints: string[] = [];
  const elsewhere: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-reference-'));
    demo = new RunningProgram(['embedded'], { PORT: '0', ADMIN_PORT: '0' }, folder);
    key = await demo.printed(/(brk_\w+)/);
    const address = await adminAddressOf(demo);
    page = await browser().newPage({ viewport: { width: 1280, height: 1600 } });
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && !request.url().startsWith(address)) elsewhere.push(request.url());
    });
    await page.goto(`${address}/docs`);
  });

  after(async () => {
    if (demo === null) return;
    await demo.end('SIGTERM');
    await rm(folder, { recursive: true });
  });

  const listBlogs = (): Locator => page.locator('#operations-blogs-listBlogs');

  async function execute(): Promise<{ status: string; body: string }> {
    await listBlogs().getByRole('button', { name: 'Execute' }).click();
    const answer = listBlogs().locator('.live-responses-table .response');
    await answer.waitFor();
    return {
      status: await answer.locator('.response-col_status').innerText(),
      body: await answer.locator('.response-col_description').innerText(),
    };
  }

  it('lists every endpoint', async () => {
    await listBlogs().waitFor();
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).to.have.length(5);
  });

  it('shows the answer of the API to a request without a key', async () => {
    await listBlogs().locator('.opblock-summary-control').click();
    await listBlogs().getByRole('button', { name: 'Try it out' }).click();
    expect((await execute()).status).to.contain('401');
  });

  it('lists blogs with a key', async () => {
    await page.locator('.auth-wrapper .authorize').first().click();
    const dialog = page.locator('.modal-ux');
    await dialog.getByRole('textbox').fill(key);
    await dialog.getByRole('button', { name: 'Apply credentials' }).click();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    await listBlogs().getByRole('button', { name: 'Clear' }).click();
    const { status, body } = await execute();
    expect(status).to.contain('200');
    expect(body).to.contain('The tap and the broken tap').and.to.contain('x-ratelimit-remaining');
  });

  it('is not an empty page', async () => {
    await keepScreenshot(page, 'reference');
    const picture = await page.screenshot({ fullPage: true });
    expect(picture.length).to.be.greaterThan(BYTES_OF_AN_EMPTY_PAGE);
  });

  it('loads nothing that its policy forbids, and sends no request elsewhere', () => {
    expect(complaints.filter((text) => !text.includes('401'))).to.deep.equal([]);
    expect(elsewhere).to.deep.equal([]);
  });
});
