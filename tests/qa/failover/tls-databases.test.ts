import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect } from 'chai';
import { useTls } from '../../../src/adapters/sql/advice-on-connection.js';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { findings } from '../../support/programs/doctor-findings.js';
import { certificateAt } from '../../support/redis/secured.js';
import { PostgresServer } from '../support/servers/postgres-server.js';

const CERTIFICATE = certificateAt('certificate.pem');

/** Has the server write a file as its own user. */
async function store(url: string, name: string, text: string): Promise<void> {
  await runSql(url, `copy (select null) to program $$cat; umask 077; echo '${text}' > ${name}$$`);
}

describe('A PostgreSQL that accepts only connections with TLS', () => {
  let server: PostgresServer;
  let dashboard: Dashboard;

  before(async () => {
    server = await PostgresServer.start();
    const readDatabaseUrl = await server.createDatabase('content_read');
    const writeDatabaseUrl = await server.createDatabase('dashboard');
    dashboard = await Dashboard.create(1, { readDatabaseUrl, writeDatabaseUrl });
    await store(readDatabaseUrl, 'server.crt', await readFile(CERTIFICATE, 'utf8'));
    await store(readDatabaseUrl, 'server.key', await readFile(certificateAt('key.pem'), 'utf8'));
    await runSql(readDatabaseUrl, 'alter system set ssl = on');
    await store(readDatabaseUrl, 'pg_hba.conf', 'hostssl all all 0.0.0.0/0 scram-sha-256');
    await runSql(readDatabaseUrl, 'select pg_reload_conf()');
    await eventually(() => runSql(urlsWith(verified).readDatabaseUrl, 'select 1'));
  });
  after(() => server?.stop());

  /** The addresses of both databases with this query, where the certificate may be another one. */
  const urlsWith = (query: string) => {
    const withQuery = (url: string) => Object.assign(new URL(url), { search: query }).href;
    return {
      readDatabaseUrl: withQuery(dashboard.readDatabaseUrl),
      writeDatabaseUrl: withQuery(dashboard.writeDatabaseUrl),
    };
  };
  const verified = `?sslmode=verify-full&sslrootcert=${CERTIFICATE}`;
  const serversIn = async (query: string) =>
    (await findings({ ...urlsWith(query), redisUrls: null, redisCacheUrls: null })).filter(({ check }) =>
      ['readServer', 'dashboardServer'].includes(check),
    );

  it('is reached by the one form of the guide: its databases are migrated and checked', async () => {
    await migrate(urlsWith(verified), () => {});
    expect((await serversIn(verified)).map(({ outcome }) => outcome)).to.eql(['ok', 'ok']);
    const database = openDashboardDatabase(urlsWith(verified).readDatabaseUrl);
    const { rows } = await database.raw('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    await database.destroy();
    expect(rows).to.eql([{ ssl: true }]);
  });

  for (const [query, message] of [
    ['?sslmode=disable', /no encryption/],
    ['?sslmode=verify-full', /self-signed certificate/],
  ] as const) {
    it(`has that form in the advice of the doctor and of migrate on "${query}"`, async () => {
      for (const [index, variable] of ['READ_DATABASE_URL', 'WRITE_DATABASE_URL'].entries()) {
        const finding = (await serversIn(query))[index];
        expect(finding?.outcome).to.equal('failure');
        expect(finding?.message).to.match(message);
        expect(finding?.advice).to.equal(useTls(variable));
      }
      const failure = await migrate(urlsWith(query), () => {}).catch(String);
      expect(failure)
        .to.match(/^Error: READ_DATABASE_URL: /)
        .and.match(message);
      expect(failure).to.include(useTls('READ_DATABASE_URL'));
    });
  }

  describe('on another machine', () => {
    const address = Object.values(networkInterfaces())
      .flatMap((interfaces) => interfaces ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
    const away = createServer();
    let port: number;

    before(async function () {
      if (address === undefined) return this.skip();
      const { port: target } = new URL(dashboard.readDatabaseUrl);
      away.on('connection', (client) => {
        const upstream = connect(Number(target), '127.0.0.1');
        for (const socket of [client, upstream]) socket.on('error', () => {});
        client.pipe(upstream).pipe(client);
      });
      await new Promise<void>((resolve) => away.listen(0, address, resolve));
      port = (away.address() as AddressInfo).port;
    });
    after(() => away.close());

    it('is reported by the doctor if the connection is not encrypted, and only then', async () => {
      const [local] = await serversIn(verified);
      const awayIn = async (query: string) => {
        const { readDatabaseUrl } = urlsWith(query);
        const url = Object.assign(new URL(readDatabaseUrl), { hostname: address, port }).href;
        const settings = {
          readDatabaseUrl: url,
          writeDatabaseUrl: null,
          redisUrls: null,
          redisCacheUrls: null,
        };
        return (await findings(settings)).find(({ check }) => check === 'readServer');
      };
      // Its certificate does not name the address.
      const encrypted = await awayIn('?sslmode=no-verify');
      await store(urlsWith(verified).readDatabaseUrl, 'pg_hba.conf', 'host all all 0.0.0.0/0 scram-sha-256');
      await runSql(urlsWith(verified).readDatabaseUrl, 'select pg_reload_conf()');
      const plain = await eventually(async () => {
        const finding = await awayIn('?sslmode=disable');
        expect(finding?.outcome).not.to.equal('failure');
        return finding;
      });
      expect(encrypted?.outcome).to.equal('ok');
      expect(plain).to.eql({
        check: 'readServer',
        code: 'readServer.unencrypted',
        isNeeded: false,
        outcome: 'warning',
        message: `${local?.message}, on another machine, and without encryption`,
        advice: useTls('READ_DATABASE_URL'),
      });
    });
  });
});
