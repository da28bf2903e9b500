import { expect } from 'chai';
import { OutsideProject } from '../../package/outside-project.js';

/** An adapter as a team writes it. */
const CACHE = `
export class MapResponseCache {
  #kept = new Map();
  constructor(clock) { this.clock = clock; }
  async get(key) {
    const kept = this.#kept.get(nameOf(key));
    return kept !== undefined && this.clock.now() < kept.expiresAt ? kept : null;
  }
  async put(key, answer, lifetimeMs) {
    this.#kept.set(nameOf(key), { answer, level: 'shared', expiresAt: this.clock.now() + lifetimeMs });
  }
}

const nameOf = ({ organizationId, generation, request }) => JSON.stringify([organizationId, generation, request]);`;

const suiteFor = (runner: string) => `
import * as runner from '${runner}';
import { responseCacheContract } from 'blog-content-read-api/contracts';
import { MapResponseCache } from './cache.js';

const makeSubject = async () => ({ subject: new MapResponseCache(Date) });
responseCacheContract(runner, MapResponseCache, makeSubject, { lacks: ['advance'] });`;

const LIMITLESS = `
import * as runner from 'node:test';
import { requestLogContract } from 'blog-content-read-api/contracts';

class LimitlessRequestLog {
  async record(_, { limit }) { return { accepted: true, remaining: limit, retryAfterMs: 0, resetAfterMs: 0 }; }
}
requestLogContract(runner, LimitlessRequestLog, async () => ({ subject: new LimitlessRequestLog() }), { lacks: ['advance'] });`;

describe('The contract suites of the tarball', () => {
  let project: OutsideProject;

  before(async () => {
    project = await OutsideProject.create(['chai', 'fast-check', 'mocha']);
    await project.write('cache.js', CACHE);
  });
  after(() => project.remove());

  for (const { runner, command, counted } of [
    { runner: 'mocha', command: ['mocha/bin/mocha.js'], counted: /(\d+) passing.*\n\s+1 pending/ },
    { runner: 'node:test', command: null, counted: /^# pass (\d+)\n# fail 0\n# cancelled 0\n# skipped 1$/m },
  ]) {
    it(`run under ${runner}`, async () => {
      await project.write('cache.test.js', suiteFor(runner));
      const [program, ...args] = command ?? [];
      const given =
        program === undefined ? ['--test', '--test-reporter=tap'] : [`node_modules/${program}`, ...args];
      const { code, output } = await project.run(process.execPath, ...given, 'cache.test.js');
      expect(code, output).to.equal(0);
      expect(Number(counted.exec(output)?.[1]), output).to.be.greaterThan(20);
    });
  }

  it('refuse a request log that accepts every request', async () => {
    await project.write('log.test.js', LIMITLESS);
    const { code, output } = await project.run(
      process.execPath,
      '--test',
      '--test-reporter=tap',
      'log.test.js',
    );
    expect(code, output).to.equal(1);
    expect(output).to.match(/^ *not ok .*the limit/m);
  });
});
