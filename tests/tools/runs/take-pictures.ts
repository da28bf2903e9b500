import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { chromium, DemoService, npm } from '../../qa/websites/demo-service.js';

const FOLDER = resolve('docs/pictures');
/** No script of a page waits longer. */
const RENDERED_MS = 10_000;

/** Takes the pictures of README and docs from the running programs. */
const service = await DemoService.start();
const scratch = await mkdtemp(join(tmpdir(), 'blog-read-api-pictures-'));
try {
  await service.program.printed(/operators' port is open/);
  const terminal = join(scratch, 'terminal.html');
  await writeFile(
    terminal,
    terminalPage(
      `$ npm start\n${service.program.output.replaceAll(service.folder, '~/blog-content-read-api')}`,
    ),
  );
  take('start.png', `file://${terminal}`, 1_000, 560);
  take('api-description.png', `${service.adminOrigin}/docs`, 1_000, 900);
  await npm(await service.install('nextjs'), 'run', 'build');
  const website = await service.serveNextjs();
  try {
    await service.edit('The tap, edited just now');
    await eventually(async () => {
      const page = await (await fetch(service.site)).text();
      if (!page.includes('edited just now')) throw new Error('The website does not show the edit');
    });
    take('website.png', service.site, 1_000, 560);
  } finally {
    await website.end('SIGTERM');
  }
} finally {
  await rm(scratch, { recursive: true });
  await service.end();
}

function take(name: string, url: string, width: number, height: number): void {
  const size = `--window-size=${width},${height}`;
  const wait = `--virtual-time-budget=${RENDERED_MS}`;
  if (chromium(size, wait, `--screenshot=${join(FOLDER, name)}`, url) === null)
    throw new Error('Install Chromium: the command `chromium` takes the pictures');
}

/** Without the log lines, which a terminal shows in colour. */
function terminalPage(output: string): string {
  const lines = output.split('\n').filter((line) => !line.startsWith('{'));
  const text = lines.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const style =
    'background: #1b1f24; color: #e6edf3; padding: 1.5rem; font: 15px/1.5 monospace; white-space: pre-wrap';
  return `<!doctype html><meta charset="utf-8"><body style="${style}">${text}`;
}
