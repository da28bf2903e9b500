import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../src/contracts/support/eventually.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { RunningProgram, runProgram } from '../support/programs/program.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || number, 'web', 'Blog ' || number, 'blog-' || number, 'published', now() from generate_series(1, 600) as number;`;

const CAUGHT_UP = 'All changes are applied.';

describe('The command line:', () => {
  let environment: { READ_DATABASE_URL: string; WRITE_DATABASE_URL: string };
  let api: RunningProgram | null = null;

  before(async () => {
    environment = {
      READ_DATABASE_URL: await createTestDatabase(),
      WRITE_DATABASE_URL: await createTestDatabase(),
    };
  });

  afterEach(async () => {
    await api?.end('SIGKILL');
    api = null;
  });

  async function query(url: string, text: string): Promise<void> {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(text);
    await client.end();
  }

  const sql = (text: string) => query(environment.WRITE_DATABASE_URL, text);
  /** Changes the read tables without a change in the dashboard. */
  const forge = (text: string) => query(environment.READ_DATABASE_URL, text);
  /** The output without the log. */
  const printedBy = ({ output }: { output: string }) =>
    output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));

  it('migrate upgrades the read tables, and then names the tables that the dashboard lacks', async () => {
    const { code, output } = await runProgram(['migrate'], environment);
    expect(code).to.equal(1);
    expect(output).to.contain('Read tables: applied 0001_read_tables.sql.');
    expect(output).to.contain('has no table organizations, websites, blogs, categories, tags');
  });

  it('migrate without WRITE_DATABASE_URL migrates only the read tables', async () => {
    const { READ_DATABASE_URL } = environment;
    const { code, output } = await runProgram(['migrate'], { READ_DATABASE_URL });
    expect({ code, output }).to.deep.equal({ code: 0, output: 'Read tables: up to date.\n' });
  });

  it('api with LOG_PRETTY logs text for people', async () => {
    const pretty = { LOG_PRETTY: 'true', PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1' };
    api = new RunningProgram(['api'], { ...environment, ...pretty });
    expect(await api.printed(/^(.*listening.*)$/m))
      .to.contain('INFO')
      .and.not.to.contain('{');
  });

  it('all commands together serve a dashboard, from its first key until the key is revoked', async () => {
    expect((await runProgram(['dashboard:migrate'], environment)).code).to.equal(0);
    expect((await runProgram(['dashboard:migrate'], environment)).output).to.contain('up to date');
    const migrated = await runProgram(['migrate'], environment);
    expect(migrated.code).to.equal(0);
    expect(migrated.output).to.match(/^Change capture: installed \d+ triggers/m);
    expect((await runProgram(['migrate'], environment)).output).to.equal(
      'Read tables: up to date.\nChange capture: up to date.\n',
    );
    await sql(CONTENT);
    const created = await runProgram(['keys', 'create', '--organization', 'org', '--json'], environment);
    const { id, key } = JSON.parse(created.output);

    const filled = await runProgram(['sync', '--once'], environment);
    expect({ code: filled.code, printed: printedBy(filled) }).to.deep.equal({
      code: 0,
      printed: [CAUGHT_UP],
    });
    const rebuilt = printedBy(await runProgram(['sync', '--rebuild'], environment));
    expect(rebuilt).to.include('blogs      100 % (600/600)');
    expect(rebuilt.at(-1)).to.equal('Nothing had changed.');

    api = new RunningProgram(['api'], { ...environment, PORT: '0', HOST: '127.0.0.1' });
    const address = await api.printed(/"address":"([^"]+)"/);
    const get = () => fetch(`${address}/api/v1/blogs/blog_1`, { headers: { 'X-API-Key': key } });
    expect((await get()).status).to.equal(200);
    expect((await get()).headers.get('X-Cache')).to.equal('HIT');
    expect(api.output).not.to.contain(key);

    await sql("delete from blogs where id = 'blog_1'");
    expect(printedBy(await runProgram(['sync', '--once'], environment))).to.eql([CAUGHT_UP]);
    await eventually(async () => expect((await get()).status).to.equal(404));

    expect((await runProgram(['keys', 'revoke', '--id', id], environment)).code).to.equal(0);
    await runProgram(['sync', '--once'], environment);
    await eventually(async () => expect((await get()).status).to.equal(401));
    expect(await api.end('SIGTERM')).to.equal(0);
  });

  it('sync --rebuild reports how many rows differed', async () => {
    await forge("update content_read.blogs set title = 'forged' where id in ('blog_2', 'blog_3')");
    const rebuilt = await runProgram(['sync', '--rebuild'], environment);
    expect(printedBy(rebuilt).at(-1)).to.equal('2 rows changed.');
  });

  it('migrate --remove-capture removes the change capture from the dashboard', async () => {
    const { code, output } = await runProgram(['migrate', '--remove-capture'], environment);
    expect({ code, output }).to.deep.equal({ code: 0, output: 'Change capture: removed.\n' });
  });

  it('migrate finishes its work even if its output is no longer read', async () => {
    const migrating = new RunningProgram(['migrate'], environment);
    migrating.closeOutput();
    expect(await migrating.exitCode()).to.equal(0);
    expect((await runProgram(['migrate'], environment)).output).to.equal(
      'Read tables: up to date.\nChange capture: up to date.\n',
    );
  });

  it('keys create reports an organization that does not exist', async () => {
    const { code, output } = await runProgram(['keys', 'create', '--organization', 'nobody'], environment);
    expect(code).to.equal(1);
    expect(output.trim()).to.equal('There is no organization "nobody" in the dashboard\'s database.');
  });

  it('api reports every invalid variable, a line each, and exits with 78', async () => {
    const { code, output } = await runProgram(['api'], {
      PORT: 'http',
      RATE_LIMIT_MAX: '0',
      LOG_LEVEL: 'loud',
      READ_DATABASE_URL: 'mysql://user:secret@host/name',
    });
    expect(code).to.equal(78);
    for (const variable of ['PORT', 'RATE_LIMIT_MAX', 'LOG_LEVEL', 'READ_DATABASE_URL']) {
      expect(output).to.match(new RegExp(`^ *${variable} must`, 'm'));
    }
    expect(output).not.to.contain('secret');
    expect(output).not.to.match(/^ +at /m);
  });

  it('an unknown command prints the usage and exits with 64', async () => {
    const { code, output } = await runProgram(['serve']);
    expect(code).to.equal(64);
    expect(output).to.contain('There is no command "serve"').and.to.contain('Usage:');
  });

  it('api reports in one line that a port is taken', async () => {
    api = new RunningProgram(['api'], { ...environment, PORT: '0', HOST: '127.0.0.1' });
    const port = await api.printed(/"address":"[^"]+:(\d+)"/);
    const { code, output } = await runProgram(['api'], { ...environment, PORT: port, HOST: '127.0.0.1' });
    expect(code).to.equal(1);
    expect(output.trim()).to.equal(
      `Port ${port} of 127.0.0.1 is taken: stop the program that uses it, or set PORT to another one.`,
    );
  });

  it('api reports in one line that the machine has no such address', async () => {
    const { code, output } = await runProgram(['api'], { ...environment, HOST: '192.0.2.1' });
    expect(code).to.equal(1);
    expect(output.trim()).to.equal(
      'This machine has no address 192.0.2.1: set HOST to one of its addresses, or to 0.0.0.0 for all.',
    );
  });
});
