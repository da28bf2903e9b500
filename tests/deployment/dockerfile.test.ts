import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };

describe('The Dockerfile', () => {
  let instructions: readonly string[];

  const argumentsOf = (name: string) =>
    instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  before(async () => {
    instructions = (await readFile('Dockerfile', 'utf8')).replaceAll('\\\n', '').split('\n');
  });

  it('has the newest node of the line that the packages are made for', () => {
    const { engines } = packageJson;
    const line = /^>=(\d+)\./.exec(engines.node)?.[1];
    const versions = argumentsOf('FROM').flatMap((from) => /^node:([\d.]+)-/.exec(from)?.[1] ?? []);
    expect(versions).to.eql([line, line]);
  });

  it('copies what there is, and what .dockerignore lets through', async () => {
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

  it('runs what `npm run api` runs, as a user with a number, and hands it the signals', () => {
    const [entryPoint = ''] = argumentsOf('ENTRYPOINT');
    const [command = ''] = argumentsOf('CMD');
    const run = [...JSON.parse(entryPoint), ...JSON.parse(command)];
    expect(`exec ${run.join(' ')}`).to.equal(packageJson.scripts.api);
    expect(argumentsOf('USER')).to.eql(['1000:1000']);
  });
});
