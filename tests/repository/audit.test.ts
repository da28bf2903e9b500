import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

const ADVISORY = {
  id: 1,
  url: 'https://example.test/advisory',
  title: 'Planted vulnerability',
  severity: 'critical',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 9, vectorString: null },
};

describe('.ci/audit', () => {
  let registry: Server;
  let cache: string;
  let advisories: Readonly<Record<string, readonly unknown[]>> | null;

  before(async () => {
    cache = await mkdtemp(join(tmpdir(), 'blog-read-api-npm-'));
    registry = createServer((request, response) => {
      request.resume();
      const isAudit = request.url === '/-/npm/v1/security/advisories/bulk';
      response.statusCode = isAudit && advisories !== null ? 200 : 405;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isAudit ? advisories : {}));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
  });
  after(async () => {
    registry.close();
    await rm(cache, { recursive: true });
  });

  const audit = () =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const { port } = registry.address() as AddressInfo;
      const env = {
        ...process.env,
        npm_config_registry: `http://127.0.0.1:${port}`,
        npm_config_fetch_retries: '0',
        npm_config_cache: cache,
      };
      execFile('.ci/audit', { env }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout }),
      );
    });

  it('passes without vulnerabilities', async () => {
    advisories = {};
    const { code, output } = await audit();
    expect(output).to.contain('found 0 vulnerabilities');
    expect(code).to.equal(0);
  });

  it('fails if a production package has one', async () => {
    advisories = { koa: [ADVISORY] };
    const { code, output } = await audit();
    expect(output).to.contain('Planted vulnerability');
    expect(code).to.equal(1);
  });

  it('reports that it could not query the registry, and does not fail because of that', async () => {
    advisories = null;
    const { code, output } = await audit();
    expect(output).to.equal('The packages are not audited: the registry does not answer that here.\n');
    expect(code).to.equal(0);
  });
});
