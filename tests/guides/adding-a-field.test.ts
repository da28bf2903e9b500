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

describe(`A reader that follows ${PAGE} in a copy of the project`, function () {
  this.timeout(400_000);
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
    const printed = await terminal.run('npx tsc -p tsconfig.json || true');
    expect(printed).to.match(/^src\/domain\/sync\/projection\.ts[\s\S]*Property 'subtitle' is missing/m);
  });

  it('has the field from the dashboard to the answer, and tests pass', async () => {
    for (const diff of diffs().slice(1)) await apply(diff);
    const [ofReadTables = '', ofDashboards = ''] = [...page.matchAll(SQL)].map(([, sql = '']) => sql);
    const [readTables = '', ...dashboards] = [...page.matchAll(NEW_FILE)].map(([, path = '']) => path);
    await addMigration(readTables, ofReadTables);
    for (const dashboard of dashboards) await addMigration(dashboard, ofDashboards);
    for (const { commands } of commandBlocks(page)) await terminal.run(commands);
    expect(await readFile(join(folder, 'src/client/api-types.ts'), 'utf8')).to.match(
      /subtitle: string \| null/,
    );
  });

  it('has the field in the answer in README.md, and gets a list of the examples that lack it', async () => {
    expect(await readFile(join(folder, 'README.md'), 'utf8')).to.contain('"subtitle":null,"excerpt":');
    const printed = await terminal.run('npx mocha tests/examples/blog-fields.test.ts || true');
    const lacking = [
      ...printed.matchAll(/^ +\d+\) Every field of a blog\n(?: +in the example ([\w-]+)\n)? +(.*):$/gm),
    ];
    expect(lacking.map(([, example, check]) => [example, check])).to.deep.equal([
      [undefined, 'is an optional column of a mapping in docs/dashboards.md'],
      ['ghost', 'is selected in its mapping.yaml, unless its README.md lists it as always 0 or null'],
      ['strapi', 'is selected in its mapping.yaml, unless its README.md lists it as always 0 or null'],
      ['own-store', 'has a column in db/schema.sql'],
      ['own-store', 'is written by read-tables.ts'],
      ['own-store', 'is read by mariadb-blog-reader.ts'],
    ]);
  });

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
