import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { commandBlocks } from './command-blocks.js';
import { Terminal } from './terminal.js';

const PAGE = 'docs/adding-a-field.md';
const PARTS = ['src', 'tests', 'db', 'docs', 'deploy', 'package.json', '.mocharc.json', 'README.md'];
const DIFF = /^```diff\n([\s\S]*?)^```$/gm;
const SQL = /^```sql\n([\s\S]*?)^```$/gm;
const NEW_FILE = /`([\w/]+)\/…_subtitle\.sql`/g;

describe(`A reader that follows ${PAGE} in a copy of the project`, () => {
  let folder: string;
  let terminal: Terminal;
  let page: string;

  before(async () => {
    page = await readFile(PAGE, 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-field-'));
    const settings = (await readdir('.')).filter((name) => name.startsWith('tsconfig'));
    for (const part of [...PARTS, ...settings]) await cp(part, join(folder, part), { recursive: true });
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    terminal = new Terminal(folder, process.env);
    await terminal.run('npm run -s build');
  });

  after(async () => {
    await terminal.close();
    await rm(folder, { recursive: true });
  });

  it('gets from the compiler what is missing if the field is only defined', async () => {
    const [definition = ''] = diffs();
    await apply(definition);
    const printed = await terminal.run('npx tsc -p tsconfig.build.json --noEmit || true');
    expect(printed.match(/^.*error TS.*$/gm), printed).to.have.lengthOf(1);
    expect(printed).to.match(
      /^src\/domain\/policies\/projection\.ts[\s\S]* missing .*: subtitle, commentCount$/m,
    );
  });

  it('gets a list of the migrations and mappings that lack it, also of MariaDB and MySQL', async () => {
    const [text, count] = ['add column subtitle', 'add column comment_count integer not null default 0'];
    expect(await failuresOf('tests/examples/blog-columns.test.ts')).to.deep.equal([
      `db/read lacks a migration with ${text}, ${count}`,
      `db/dashboard/schema lacks a migration with ${text}, ${count}`,
      `db/dashboard/mysql/schema lacks a migration with ${text}, ${count}`,
      'db/dashboard/reference-mapping.yaml lacks subtitle, comment_count',
      'db/dashboard/mysql/reference-mapping.yaml lacks subtitle, comment_count',
    ]);
  });

  it('has the field from the dashboard to the answer, and tests pass', async () => {
    for (const diff of diffs().slice(1)) await apply(diff);
    const statements = [...page.matchAll(SQL)].map(([, sql = '']) => sql);
    const folders = [...page.matchAll(NEW_FILE)].map(([, path = '']) => path);
    expect(folders).to.have.lengthOf(statements.length);
    for (const [at, sql] of statements.entries()) await addMigration(folders[at] ?? '', sql);
    for (const { commands } of commandBlocks(page)) await terminal.run(commands);
  });

  it('has the field in the answer in README.md', async () => {
    expect(await readFile(join(folder, 'README.md'), 'utf8')).to.contain(
      '"subtitle":null,"commentCount":0,"excerpt":',
    );
  });

  async function failuresOf(test: string): Promise<readonly (string | undefined)[]> {
    const printed = await terminal.run(`npx mocha ${test} || true`);
    return [...printed.matchAll(/^ +AssertionError: (.*)$/gm)].map(([, message]) => message);
  }

  function diffs(): readonly string[] {
    return [...page.matchAll(DIFF)].map(([, diff = '']) => diff);
  }

  async function apply(diff: string): Promise<void> {
    await writeFile(join(folder, 'step.diff'), diff);
    await terminal.run('git apply step.diff');
  }

  async function addMigration(directory: string, sql: string): Promise<void> {
    const files = (await readdir(join(folder, directory))).filter((file) => file.endsWith('.sql')).sort();
    const next = Number(files.at(-1)?.slice(0, 4)) + 1;
    await writeFile(join(folder, directory, `${String(next).padStart(4, '0')}_subtitle.sql`), sql);
  }
});
