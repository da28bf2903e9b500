import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { OPERATIONS } from '../../../src/adapters/http/endpoints/endpoints.js';
import { ERROR_RESPONSES, UNEXPECTED_ERROR } from '../../../src/adapters/http/response/error-response.js';
import { NEWSROOM, NEWSROOM_CONTENT } from '../../support/dashboards/second-dashboard.js';
import { createDashboard } from '../../support/postgres/migrated-databases.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { skipUnlessCi } from '../../support/run-notes.js';
import { type CommandBlock, commandBlocks } from './command-blocks.js';
import { Reader } from './reader.js';

/** The beginnings of blocks that are not run, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npx openapi-typescript@7': 'installs from npm; tests/qa/websites/types.test.ts runs it',
  'npm ci && npm test': 'the tests themselves',
  'npm run -s migrate -- --grants':
    'needs psql; tests/programs/mapped-grants.test.ts runs the same statements',
  'kubectl -n blog-read-api delete job':
    'needs a cluster; tests/deployment/kubernetes.test.ts compares the manifests with the code',
  'docker build --tag blog-content-read-api':
    'needs Docker; tests/deployment/dockerfile.test.ts reads the file of the image with traces',
  'node --import /tracing/tracing.mjs':
    'runs in that image; tests/qa/programs/api/traces.test.ts starts the API in the same way',
};

const listedIn = ({ commands }: CommandBlock) =>
  Object.keys(NOT_RUN).find((begin) => commands.startsWith(begin));

/** In the order of a reader: the README edits the demo of the quick start. */
const PAGES = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    // Pages that do not begin in the project have their own tests.
    .filter((file) => file.endsWith('.md') && !['extending.md', 'adding-a-field.md'].includes(file))
    .map((file) => `docs/${file}`)
    .sort(),
].map((file) => {
  const text = readFileSync(file, 'utf8');
  return { file, text, blocks: commandBlocks(text) };
});

describe('The commands in', () => {
  let reader: Reader;

  before(async function () {
    if (spawnSync('curl', ['--version']).error !== undefined) skipUnlessCi(this, 'curl (install it)');
    reader = await Reader.withDemo();
  });

  after(() => reader?.stop());

  for (const { file, text, blocks } of PAGES) {
    const run = blocks.filter((block) => listedIn(block) === undefined);
    if (run.length > 0) it(`${file} print what it shows`, () => follow(file, run, text));
  }

  async function follow(file: string, blocks: readonly CommandBlock[], text: string): Promise<void> {
    const replacements = {
      ...(await reader.surroundings()),
      ...(await ownPostgres(text)),
      ...(await ownNewsroom(text)),
    };
    if (text.includes('org_lantern')) await reader.rest();
    const terminal = reader.openTerminal();
    try {
      for (const block of blocks) await terminal.follow(file, block, replacements);
    } finally {
      await terminal.close();
    }
  }

  /** The values that the README leaves to readers with their own databases. */
  async function ownPostgres(text: string): Promise<Readonly<Record<string, string>>> {
    const insertion = /# an organization: (insert into organizations .* values \('(\w+)'.*)/.exec(text);
    if (insertion === null) return {};
    const [, sql = '', organization] = insertion;
    const dashboard = await createDashboard();
    await runSql(dashboard, sql);
    return {
      'WRITE_DATABASE_URL=postgres://…': `WRITE_DATABASE_URL='${dashboard}'`,
      'READ_DATABASE_URL=postgres://…': `PORT=0 READ_DATABASE_URL='${await createTestDatabase()}'`,
      // Left out, as the page allows for a single process.
      'REDIS_URL=redis://…': 'REDIS_URL=',
      '--organization ID': `--organization ${organization}`,
    };
  }

  /** The values that the page about mappings leaves to readers with such a dashboard. The page contains the mapping. */
  async function ownNewsroom(text: string): Promise<Readonly<Record<string, string>>> {
    const mapping = /^```yaml\n(# mapping\.yaml\n[\s\S]*?)^```$/m.exec(text)?.[1];
    if (mapping === undefined) return {};
    await reader.write('mapping.yaml', mapping);
    const dashboard = await createTestDatabase();
    await runSql(dashboard, `${NEWSROOM} ${NEWSROOM_CONTENT}`);
    return {
      'WRITE_DATABASE_URL=postgres://owner:…@dashboard/newsroom': `WRITE_DATABASE_URL='${dashboard}'`,
      'READ_DATABASE_URL=postgres://…/content': `READ_DATABASE_URL='${await createTestDatabase()}'`,
    };
  }
});

describe('The guides', () => {
  it('contain each command that is listed as not run exactly once', () => {
    const leftOut = PAGES.flatMap(({ blocks }) => blocks.flatMap((block) => listedIn(block) ?? []));
    expect(leftOut).to.have.members(Object.keys(NOT_RUN));
  });

  it('show each endpoint and each error', () => {
    const quickStart = readFileSync('docs/guides/quick-start.md', 'utf8');
    for (const { path } of OPERATIONS) {
      const asked = path.replace('/api/v1', '"\\$API').replace(/:\w+/, '[^/?"]+');
      expect(quickStart).to.match(new RegExp(`^curl .*${asked}[?"]`, 'm'));
    }
    const messages = [
      ...Object.values(ERROR_RESPONSES).map(({ message }) => message('')),
      UNEXPECTED_ERROR.message,
    ];
    for (const message of messages) expect(quickStart).to.contain(message);
  });
});
