import { cp, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { OutsideProject } from '../../package/outside-project.js';

const SUITE = `
import * as runner from 'node:test';
import { architectureContract, packageHome } from 'blog-content-read-api/architecture';

const layers = {
  sources: 'lib',
  domain: ['lib/core'],
  adapters: ['lib/stores', 'lib/doors'],
  composition: [],
  entryPoints: ['lib/extension.ts'],
  exports: [],
};
const rules = [packageHome('chai-stays-in-doors', 'chai', ['lib/doors'], 'As an example of a rule of our own.', layers)];
architectureContract(runner, { project: import.meta.dirname, layers, rules });`;

describe('The rules of the tarball', () => {
  let project: OutsideProject;

  beforeEach(async () => {
    project = await OutsideProject.create(['chai', 'typescript', 'dependency-cruiser']);
    await project.write('package.json', '{ "type": "module", "dependencies": { "chai": "*" } }');
    await project.write('architecture.test.js', SUITE);
    await project.write('lib/core/tag.ts', 'export interface Tag {}\n');
    await project.write(
      'lib/stores/files/tags.ts',
      "import type { Tag } from '../../core/tag.js';\nexport const tags: Tag[] = [];\n",
    );
    await project.write('lib/extension.ts', "export { tags } from './stores/files/tags.js';\n");
  });
  afterEach(() => project.remove());

  const prove = () => project.run(process.execPath, '--test', '--test-reporter=tap', 'architecture.test.js');

  it('hold for the layers of another package', async () => {
    const { code, output } = await prove();
    expect(code, output).to.equal(0);
    expect(Number(/^# pass (\d+)$/m.exec(output)?.[1])).to.equal(2);
  });

  it('report each broken rule with its reason, including rules of the other package', async () => {
    const text = "import type {} from 'chai';\nexport type { Tag } from '../cache/tag.js';\n";
    await project.write('lib/stores/files/tag.ts', text);
    await project.write('lib/stores/cache/tag.ts', 'export interface Tag {}\n');
    const { code, output } = await prove();
    expect(code).to.equal(1);
    expect(output).to.match(
      /adapters-do-not-know-each-other: lib\/stores\/files\/tag\.ts imports lib\/stores\/cache/,
    );
    expect(output).to.match(/chai-stays-in-doors: .* As an example of a rule of our own\./);
    expect(output).to.match(/^# fail 1$/m);
  });

  it('report a TypeScript version that dependency-cruiser cannot use', async () => {
    await project.unlink('typescript', 'dependency-cruiser');
    await cp('node_modules/dependency-cruiser', project.path('node_modules/dependency-cruiser'), {
      recursive: true,
    });
    const { dependencies } = JSON.parse(
      await readFile('node_modules/dependency-cruiser/package.json', 'utf8'),
    );
    await project.link(...Object.keys(dependencies));
    await project.write(
      'node_modules/typescript/package.json',
      '{ "name": "typescript", "version": "7.0.0" }',
    );
    await project.write('node_modules/typescript/index.js', "exports.version = '7.0.0';\n");
    const { code, output } = await prove();
    expect(code).to.equal(1);
    expect(output).to.match(/^ *not ok .* is looked at in every file$/m);
    expect(output).to.match(/up to version 6, and skips files that it cannot parse/);
  });
});
