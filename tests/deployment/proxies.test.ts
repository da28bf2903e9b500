import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { freePort } from '../../src/adapters/embedded/free-port.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { Dashboard } from '../support/dashboards/dashboard.js';
import { findProgram } from '../support/find-program.js';
import { RunningProgram } from '../support/programs/program.js';
import { RunningProcess } from '../support/programs/running-process.js';
import { adminAddressOf } from '../support/programs/running-programs.js';
import { skipWithout } from '../support/run-notes.js';

const TLS = resolve('tests/support/network/tls');
const CERTIFICATE = `${TLS}/certificate.pem`;
const KEY = `${TLS}/key.pem`;
const LIMIT = 3;
/** So slow that a test reaches the limit on any machine, after as many requests as are allowed at once. */
const RATE = 'rate=1r/m';
const AT_ONCE = 100;

interface Proxy {
  readonly program: string;
  readonly file: string;
  /** The committed configuration with the ports of a test, and what starts it. */
  configured(config: string, ports: { own: number; api: string; admin: string }, folder: string): string;
  readonly args: (file: string, folder: string) => readonly string[];
}

const PROXIES: Readonly<Record<string, Proxy>> = {
  nginx: {
    program: 'nginx',
    file: 'deploy/proxy/nginx.conf',
    configured: (config, { own, api }, folder) => `
      daemon off; pid ${folder}/pid; error_log stderr; events {}
      http { access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
        uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
        ${config
          .replace('127.0.0.1:3000', api)
          .replace('rate=50r/s', RATE)
          .replace('listen 443', `listen 127.0.0.1:${own}`)
          .replace('/etc/ssl/content.example.com.pem', CERTIFICATE)
          .replace('/etc/ssl/private/content.example.com.key', KEY)} }`,
    args: (file, folder) => ['-c', file, '-p', folder, '-e', 'stderr'],
  },
  Caddy: {
    program: 'caddy',
    file: 'deploy/proxy/Caddyfile',
    configured: (config, { own, api, admin }) =>
      `{
        admin off
        auto_https disable_redirects
      }
      ${config
        .replace('content.example.com {', `https://localhost:${own} {\n\ttls ${CERTIFICATE} ${KEY}`)
        .replace('127.0.0.1:3000', api)
        .replace('health_port 3001', `health_port ${admin}`)}`,
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
};

describe('The API', () => {
  let dashboard: Dashboard;
  const processes: RunningProcess[] = [];
  const folders: string[] = [];

  before(async () => {
    dashboard = await Dashboard.create(2);
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.end('SIGTERM')));
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  async function behind({ file, configured, args }: Proxy, program: string) {
    const api = new RunningProgram(['api'], {
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      ...{ PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_MAX: String(LIMIT) },
    });
    processes.push(api);
    const address = new URL(await api.printed(/"address":"([^"]+)"/));
    const admin = new URL(await adminAddressOf(api));
    const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
    folders.push(folder);
    const own = await freePort();
    const config = join(folder, 'config');
    const ports = { own, api: address.host, admin: admin.port };
    await writeFile(config, configured(await readFile(file, 'utf8'), ports, folder));
    const proxy = new RunningProcess(program, args(config, folder), { ...process.env, HOME: folder }, folder);
    processes.push(proxy);
    const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false });
    const get = async (key: string) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { 'X-API-Key': key, Accept: 'application/json' };
        request(`https://localhost:${own}/api/v1/blogs`, { agent, headers, family: 4 }, resolve)
          .on('error', reject)
          .end();
      });
      const { statusCode: status, headers } = response;
      return { status, headers, body: JSON.parse(await bodyOf(response)) };
    };
    await eventually(async () => expect((await get('no-key-of-anybody')).status).to.equal(401));
    return { api, get };
  }

  for (const [name, proxy] of Object.entries(PROXIES)) {
    it(`is served by ${name} with its own headers, and while it is away with an error of its form`, async function () {
      const program = findProgram(proxy.program);
      if (program === null) return skipWithout(this, `${name} (install ${proxy.program})`);
      const { api, get } = await behind(proxy, program);
      const { key } = dashboard.tenant();
      for (let count = 1; count <= LIMIT; count++) {
        const { status, headers } = await get(key);
        expect(status).to.equal(200);
        expect(headers)
          .to.include({ 'x-ratelimit-remaining': String(LIMIT - count) })
          .and.to.include.keys('etag');
      }
      const refused = await get(key);
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers['retry-after']), 'that of the API').to.be.above(1);

      await api.end('SIGTERM');
      await eventually(async () => {
        const { status, headers, body } = await get(key);
        expect(status).to.equal(503);
        expect(headers).to.include({ 'retry-after': '2', 'cache-control': 'no-store' });
        expect(headers['content-type']).to.match(/^application\/json/);
        expect(body).to.eql({ error: { message: 'The service is not available', status: 503 } });
      });
    });

    it(`closes idle connections later than ${name}`, async () => {
      const config = await readFile(proxy.file, 'utf8');
      const [, seconds] = /^\s*keepalive(?:_timeout)? (\d+)s;?$/m.exec(config) ?? [];
      const server = await readFile('src/adapters/http/server/http-server.ts', 'utf8');
      const [, ofApi = ''] = /keepAliveTimeout: ([\d_]+)/.exec(server) ?? [];
      expect(Number(seconds) * 1_000).to.be.below(Number(ofApi.replace('_', '')));
    });
  }

  it('has a limit of addresses in nginx, which says when to come back', async function () {
    const program = findProgram('nginx');
    if (program === null) return skipWithout(this, 'nginx (install nginx-light)');
    const { get } = await behind(PROXIES.nginx as Proxy, program);
    const answers = await Promise.all(Array.from({ length: AT_ONCE + 1 }, () => get('no-key-of-anybody')));
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.headers).to.include({ 'retry-after': '1', 'cache-control': 'no-store' });
    expect(refused?.body).to.eql({ error: { message: 'Too many requests from this address', status: 429 } });
    expect(new Set(answers.map(({ status }) => status))).to.eql(new Set([401, 429]));
  });
});
