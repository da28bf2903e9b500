import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { DEFAULT_ADMIN_PORT } from '../../src/composition/settings/settings.js';

describe('The Dockerfile', () => {
  let instructions: readonly string[];

  const argumentsOf = (name: string) =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  before(async () => {
    instructions = (await readFile('Dockerfile', 'utf8')).replaceAll('\\\n', '').split('\n');
  });

  it('is built and run on one line of Node, which has long-term support and which `engines` allows', () => {
    const oldest = Number(/^>=(\d+)\./.exec(packageJson.engines.node)?.[1]);
    const [built, run, ...others] = argumentsOf('FROM').flatMap(
      (from) => /^node:(\d+)-/.exec(from)?.[1] ?? [],
    );
    expect([built, others]).to.eql([run, []]);
    expect(Number(run)).to.be.at.least(oldest);
    expect(Number(run) % 2, 'lines with an odd number have no long-term support').to.equal(0);
  });

  it('has the drivers for every kind of dashboard, and no embedded PostgreSQL', () => {
    const [production = ''] = argumentsOf('RUN').filter((command) => command.includes('--omit=dev'));
    expect(production).to.match(/^npm ci /);
    expect(production).not.to.include('--omit=optional');
    const removed = /rm -r (\S+)/.exec(production)?.[1]?.replace('node_modules/', '') ?? 'nothing';
    const kept = Object.keys({ ...packageJson.dependencies, ...packageJson.optionalDependencies }).filter(
      (name) => !name.startsWith(`${removed}/`),
    );
    expect(kept).to.include.members(['pg', 'mysql2']);
    expect(kept.filter((name) => name.includes('embedded'))).to.eql([]);
  });

  it('copies existing files that .dockerignore does not exclude', async () => {
    const ignored = (await readFile('.dockerignore', 'utf8')).split('\n');
    const copied = argumentsOf('COPY')
      .filter((words) => !words.startsWith('--from'))
      .flatMap((words) => words.split(' ').slice(0, -1));
    const configurations = packageJson.scripts.build.match(/tsconfig\.\S+/g) ?? [];
    expect(copied).to.include.members(['package.json', 'src', 'db', ...configurations]);
    expect(copied.filter((path) => !existsSync(path))).to.eql([]);
    expect(ignored).to.include('*');
    expect(new Set(ignored.filter((line) => line.startsWith('!')))).to.eql(
      new Set(copied.map((path) => `!${path}`)),
    );
  });

  it('ships only production packages', () => {
    const production = instructions.slice(instructions.indexOf('FROM packages AS production-packages'));
    expect(production.find((line) => line.startsWith('RUN ')))
      .to.contain('npm ci')
      .and.to.contain('--omit=dev');
    expect(argumentsOf('COPY').filter((words) => words.endsWith(' node_modules'))).to.eql([
      '--from=production-packages /app/node_modules node_modules',
    ]);
  });

  it('is healthy while /readyz returns 200, on ADMIN_PORT or its default', async () => {
    const [check = ''] = argumentsOf('HEALTHCHECK');
    const [, ...ofNode] = JSON.parse(check.slice(check.indexOf('[')));
    expect(ofNode.join(' ')).to.contain(`process.env.ADMIN_PORT || ${DEFAULT_ADMIN_PORT}}`);

    let status = 200;
    const operations = createServer(({ url }, response) => {
      response.writeHead(url === '/readyz' ? status : 404).end();
    });
    operations.listen(0, '127.0.0.1').unref();
    await once(operations, 'listening');
    const { port } = operations.address() as AddressInfo;
    const isHealthy = () =>
      promisify(execFile)(process.execPath, ofNode, { env: { ADMIN_PORT: String(port) } }).then(
        () => true,
        () => false,
      );
    expect(await isHealthy()).to.equal(true);
    status = 503;
    expect(await isHealthy()).to.equal(false);
    operations.close();
    await once(operations, 'close');
    expect(await isHealthy()).to.equal(false);
  });

  it('runs the same as `npm run api`, with a numeric user id, and passes signals to it', () => {
    const [entryPoint = ''] = argumentsOf('ENTRYPOINT');
    const [command = ''] = argumentsOf('CMD');
    const run = [...JSON.parse(entryPoint), ...JSON.parse(command)];
    expect(`exec ${run.join(' ')}`).to.equal(packageJson.scripts.api);
    expect(argumentsOf('USER')).to.eql(['1000:1000']);
  });
});
