import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../src/contracts/support/eventually.js';
import { migrate } from '../../src/programs/migrate/migrate.js';
import { catchUp } from '../../src/programs/sync/sync-once.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { RunningProgram, runProgram } from '../support/programs/program.js';
import { syncSettings } from '../support/sync/sync-settings.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || number, 'web', 'Blog ' || number, 'blog-' || number, 'published', now() from generate_series(1, 600) as number;`;

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

  async function sql(text: string): Promise<void> {
    const client = new pg.Client(environment.WRITE_DATABASE_URL);
    await client.connect();
    await client.query(text);
    await client.end();
  }
  async function printedByMigrate(writeDatabaseUrl: string | null): Promise<readonly string[]> {
    const printed: string[] = [];
    await migrate({ readDatabaseUrl: environment.READ_DATABASE_URL, writeDatabaseUrl }, (line) =>
      printed.push(line),
    );
    return printed;
  }
  const catchUpOnce = () =>
    catchUp(
      syncSettings({
        readDatabaseUrl: environment.READ_DATABASE_URL,
        writeDatabaseUrl: environment.WRITE_DATABASE_URL,
      }),
    );
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
    expect(await printedByMigrate(null)).to.deep.equal(['Read tables: up to date.']);
  });

  it('all commands together serve a dashboard, from its first key until the key is revoked', async () => {
    expect((await runProgram(['dashboard:migrate'], environment)).code).to.equal(0);
    const migrated = await runProgram(['migrate'], environment);
    expect(migrated.code).to.equal(0);
    expect(migrated.output).to.match(/^Change capture: installed \d+ triggers/m);
    expect(await printedByMigrate(environment.WRITE_DATABASE_URL)).to.deep.equal([
      'Read tables: up to date.',
      'Change capture: up to date.',
    ]);
    await sql(CONTENT);
    const created = await runProgram(['keys', 'create', '--organization', 'org', '--json'], environment);
    const { id, key } = JSON.parse(created.output);

    const filled = await runProgram(['sync', '--once'], environment);
    expect({ code: filled.code, printed: printedBy(filled) }).to.deep.equal({
      code: 0,
      printed: ['All changes are applied.'],
    });

    api = new RunningProgram(['api'], { ...environment, PORT: '0', HOST: '127.0.0.1' });
    const address = await api.printed(/"address":"([^"]+)"/);
    let requests = 0;
    const get = () => {
      requests++;
      return fetch(`${address}/api/v1/blogs/blog_1`, { headers: { 'X-API-Key': key } });
    };
    expect((await get()).status).to.equal(200);
    expect((await get()).headers.get('X-Cache')).to.equal('HIT');
    expect(api.output).not.to.contain(key);

    await sql("delete from blogs where id = 'blog_1'");
    await catchUpOnce();
    await eventually(async () => expect((await get()).status).to.equal(404));

    expect((await runProgram(['keys', 'revoke', '--id', id], environment)).code).to.equal(0);
    await catchUpOnce();
    await eventually(async () => expect((await get()).status).to.equal(401));
    expect(await api.end('SIGTERM')).to.equal(0);
    expect(api.output.match(/"msg":"request"/g)).to.have.length(requests);
    expect(api.output).to.match(/"msg":"stopping"}\n$/);
  });

  it('migrate --remove-capture removes the change capture from the dashboard', async () => {
    const { code, output } = await runProgram(['migrate', '--remove-capture'], environment);
    expect({ code, output }).to.deep.equal({ code: 0, output: 'Change capture: removed.\n' });
  });

  it('migrate finishes its work even if its output is no longer read', async () => {
    const migrating = new RunningProgram(['migrate'], environment);
    migrating.closeOutput();
    expect(await migrating.exitCode()).to.equal(0);
    expect(await printedByMigrate(environment.WRITE_DATABASE_URL)).to.deep.equal([
      'Read tables: up to date.',
      'Change capture: up to date.',
    ]);
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

  it('an unknown command ends with 64, and says how to see the others', async () => {
    expect(await runProgram(['serve'])).to.eql({
      code: 64,
      output: 'There is no command "serve". --help shows all commands.\n',
    });
  });

  it('a wrong option prints the usage of its command only, and the mistake last', async () => {
    const { code, output } = await runProgram(['keys', 'create']);
    expect(code).to.equal(64);
    expect(output.trim().split('\n')).to.have.length(7);
    expect(output).to.match(
      /keys revoke --id ID\n\n--organization is missing\. --help shows all commands\.\n$/,
    );
  });
});
