import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { configuredApi } from '../../../src/composition/extensions/configured.js';
import type { Extension, Part } from '../../../src/composition/extensions/extension.js';
import { ConfigurationError, type Environment } from '../../../src/composition/settings/read-settings.js';
import { createApi } from '../../../src/programs/create-programs.js';
import { extendedProgram } from '../../support/programs/extended-api.js';
import { problemsOf } from '../problems-of.js';

const READ = { READ_DATABASE_URL: 'postgres://user:password@127.0.0.1:1/nowhere' };
const SENSIBLE = 'export default { api() {} };';

describe('EXTENSIONS', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-extensions-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = (file: string, text: string) => writeFile(join(folder, file), text);

  async function problemsWith(environment: Environment): Promise<readonly string[]> {
    const failure = await configuredApi({ ...READ, ...environment }, folder).catch((error: unknown) => error);
    if (!(failure instanceof ConfigurationError))
      throw new Error('The configuration was accepted', { cause: failure });
    return failure.problems;
  }

  async function namesOf(environment: Environment): Promise<readonly string[]> {
    const { extended } = await configuredApi({ ...READ, ...environment }, folder);
    return extended.extensions.map(({ name }) => name);
  }

  it('names modules by paths relative to the working directory, by URLs and by packages', async () => {
    await write('one.mjs', SENSIBLE);
    await write('two.mjs', "export default { name: 'our adapters', api() {} };");
    await mkdir(join(folder, 'node_modules/an-extension'), { recursive: true });
    await write('node_modules/an-extension/package.json', '{ "type": "module", "exports": "./main.js" }');
    await write('node_modules/an-extension/main.js', SENSIBLE);
    const address = pathToFileURL(join(folder, 'two.mjs')).href;
    const names = ['./one.mjs', join(folder, 'one.mjs'), 'an-extension'];
    expect(await namesOf({ EXTENSIONS: ` ${names.join(' , ')}, ${address}` })).to.deep.equal([
      ...names,
      'our adapters',
    ]);
    expect(await namesOf({ EXTENSIONS: '' })).to.deep.equal([]);
  });

  it('accepts instances of classes, whose parts are methods, and modules that were compiled to CommonJS', async () => {
    await write(
      'of-a-class.mjs',
      `class Ours {
        name = 'of a class';
        clock = { now: () => 7 };
        api(bind) { bind('clock', () => this.clock); }
      }
      export default new Ours();`,
    );
    await write(
      'compiled.cjs',
      "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { name: 'compiled', api() {} };",
    );
    await write('plain.cjs', "module.exports = { name: 'plain', api() {} };");
    const modules = ['./of-a-class.mjs', './compiled.cjs', './plain.cjs'];
    const { extended } = await configuredApi({ ...READ, EXTENSIONS: modules.join() }, folder);
    expect(extended.extensions.map(({ name }) => name)).to.deep.equal(['of a class', 'compiled', 'plain']);
    expect([...extended.replaced.values()]).to.deep.equal(['of a class']);
  });

  it('accepts paths with any characters that folders may have', async () => {
    await mkdir(join(folder, 'a folder #1 100% ü?'));
    await write('a folder #1 100% ü?/our adapters.mjs', SENSIBLE);
    const path = 'a folder #1 100% ü?/our adapters.mjs';
    for (const name of [`./${path}`, join(folder, path), pathToFileURL(join(folder, path)).href])
      expect(await namesOf({ EXTENSIONS: name })).to.deep.equal([name]);
  });

  for (const [what, text, problem] of [
    [
      'has nothing to bind',
      "export default { name: 'idle' };",
      /it has neither api nor worker, so it does nothing$/,
    ],
    ['has no default export', 'export const api = () => {};', /its default export is not an object: /],
    [
      'has a function as its default export',
      'export default () => {};',
      /its default export is not an object/,
    ],
    ['throws while it is loaded', "throw new Error('no licence\\nat all');", /no licence$/],
    ['is not JavaScript', 'export default {', /Unexpected end of input/],
    ['imports a module that does not exist', "import './gone.mjs';", /Cannot find module .*gone\.mjs/],
  ] as const) {
    it(`is invalid if a module ${what}`, async () => {
      await write('our.mjs', text);
      const [found, ...others] = await problemsWith({ EXTENSIONS: './our.mjs' });
      expect(found)
        .to.match(/^EXTENSIONS \.\/our\.mjs cannot be loaded: /)
        .and.match(problem);
      expect(others).to.deep.equal([]);
    });
  }

  it('is invalid if a module or package does not exist', async () => {
    const problems = await problemsWith({ EXTENSIONS: './gone.mjs,no-such-package' });
    expect(problems).to.have.length(2);
    expect(problems[0]).to.match(/^EXTENSIONS \.\/gone\.mjs cannot be loaded: Cannot find module/);
    expect(problems[1]).to.match(/^EXTENSIONS no-such-package cannot be loaded: Cannot find package/);
  });

  it('is reported by the error of its own settings', async () => {
    await write(
      'our.mjs',
      "export default { api(_, environment) { throw new Error('no ' + environment.OURS); } };",
    );
    const problems = await problemsWith({ EXTENSIONS: './our.mjs', OURS: 'folder' });
    expect(problems).to.deep.equal(['extension ./our.mjs: no folder']);
  });
});

const ASYNCHRONOUS = 'it is asynchronous: create it synchronously, and do in `start` what takes time';
const binding = (port: string, create: unknown, close?: () => Promise<void>) =>
  ({ api: (bind: (...given: unknown[]) => void) => bind(port, create, close) }) as Extension;
const aClock = () => ({ now: () => 0 });
const failing = (error: Error) => () => {
  throw error;
};
/** Its clock needs a part, which it binds unless there is nothing to create it. */
const needing = (create: (() => unknown) | null): Extension => ({
  api: (bind) => {
    const pool = Symbol('pool') as Part<object>;
    if (create !== null) bind(pool, create as () => object);
    bind('clock', (get) => {
      get(pool);
      return aClock();
    });
  },
});

/** Extensions, named after their positions, and how the first problem with them begins. */
const REFUSED: readonly (readonly [what: string, readonly Extension[], problem: string])[] = [
  [
    'needs a part that it does not bind',
    [needing(null)],
    'extension extension-1 cannot create Clock: No bindings found for service: "Symbol(pool)".',
  ],
  [
    'cannot create its adapter',
    [binding('responseCache', failing(new Error('CACHE_FOLDER is missing')))],
    'extension extension-1 cannot create ResponseCache: CACHE_FOLDER is missing',
  ],
  [
    'binds a port that is already bound',
    [binding('clock', aClock), { name: 'ours', ...binding('clock', aClock) }],
    'extension ours: binds Clock, which extension-1 has already bound',
  ],
  [
    'binds a port of another name',
    [binding('responsCache', aClock)],
    'extension extension-1: binds responsCache, which is no port; the ports are clock, log, ',
  ],
  [
    'binds a port of another program',
    [binding('leadership', aClock)],
    'extension extension-1: binds leadership, which is no port; ',
  ],
  [
    'adds a part of another name',
    [{ api: () => ({ middlewares: [] }) } as Extension],
    'extension extension-1: adds middlewares, which is no part; the parts are healthChecks, start, stop, middleware',
  ],
  [
    'binds asynchronously',
    [{ api: () => Promise.reject(new Error('not handled')) } as unknown as Extension],
    `extension extension-1: ${ASYNCHRONOUS}`,
  ],
  // Without a handler, a rejection would end the process.
  ...[
    async () => aClock(),
    () => Promise.reject(new Error('not handled')),
    runInNewContext('() => Promise.reject(new Error("not handled"))'),
  ].flatMap((create) =>
    (
      [
        ['Clock', binding('clock', create)],
        ['pool', needing(create)],
      ] as const
    ).map(
      ([port, extension]) =>
        [
          'creates a promise',
          [extension],
          `extension extension-1 cannot create ${port}: ${ASYNCHRONOUS}`,
        ] as const,
    ),
  ),
  [
    'cannot be created, nor close what it created before',
    [
      {
        api: (bind) => {
          bind('clock', aClock, () => Promise.reject(new Error('It cannot be closed')));
          bind('requestLog', failing(new Error('It cannot be created')));
        },
      },
    ],
    'extension extension-1 cannot create RequestLog: It cannot be created',
  ],
];

describe('An extension is refused', () => {
  for (const [what, extensions, problem] of REFUSED) {
    it(`that ${what}`, async () => {
      const [first = ''] = problemsOf(() => extendedProgram(extensions, READ));
      expect(first.startsWith(problem), first).to.equal(true);
      const settings = { ...READ, PORT: '0', ADMIN_PORT: '0' };
      const failure = await createApi({ settings, extensions }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ConfigurationError);
    });
  }

  it('with each reason, if there are several', () => {
    const reasons = [new Error('CACHE_FOLDER is missing'), new Error('CACHE_SIZE is missing')];
    const unset = binding('responseCache', failing(new AggregateError(reasons)));
    expect(problemsOf(() => extendedProgram([unset], READ))).to.deep.equal(
      reasons.map(({ message }) => `extension extension-1 cannot create ResponseCache: ${message}`),
    );
  });
});
