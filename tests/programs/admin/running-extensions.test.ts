import { expect } from 'chai';
import { Container } from 'inversify';
import { Readiness, readinessBody } from '../../../src/adapters/operations/readiness.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import { createPorts } from '../../../src/composition/extensions/create-ports.js';
import { bindExtended, extendedApi } from '../../../src/composition/extensions/extend.js';
import type { Additions, Extension, ExtensionCheck } from '../../../src/composition/extensions/extension.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { examineAtOnce } from '../../../src/programs/admin/examine.js';
import { RunningExtensions } from '../../../src/programs/admin/running-extensions.js';
import { bindReadSide, extendedProgram } from '../../support/programs/extended-api.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

const named = (extensions: readonly Extension[]) =>
  extensions.map((extension, at) => ({ name: `extension-${at + 1}`, ...extension }));

describe('An extension at run time', () => {
  let log: RecordingLog;
  let happened: string[];

  beforeEach(() => {
    log = new RecordingLog();
    happened = [];
  });

  const noting = (what: string, more: Additions = {}): Additions => ({
    start: () => void happened.push(`${what} starts`),
    stop: () => void happened.push(`${what} stops`),
    ...more,
  });
  const living = (additions: Additions): Extension => ({ api: () => additions });
  const running = (extensions: readonly Extension[], stopWithinMs?: number) => {
    const extended = extendedApi(named(extensions), {});
    const container = new Container({ defaultScope: 'Singleton' });
    bindExtended(container, extended.bindings);
    const { close } = createPorts(container, Object.fromEntries([...extended.replaced.keys()].entries()));
    return new RunningExtensions(extended, close, stopWithinMs);
  };

  it('starts after the previous one, and stops before it', async () => {
    const slow = noting('slow', {
      start: async () => {
        happened.push('slow begins');
        await new Promise((resolve) => setImmediate(resolve));
        happened.push('slow starts');
      },
    });
    const extensions = running([living(slow), living(noting('second')), living(noting('third'))]);
    await extensions.start(log, 'api');
    expect(happened.splice(0)).to.deep.equal(['slow begins', 'slow starts', 'second starts', 'third starts']);
    await extensions.stop(log);
    expect(happened).to.deep.equal(['third stops', 'second stops', 'slow stops']);
    expect(log.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  it('starts before the program listens, and stops after the last answer', async () => {
    let isListening = () => false;
    const look = (when: string) => () => void happened.push(`${when}: ${isListening() ? 'open' : 'closed'}`);
    const readSide: Extension = { api: (bind) => bindReadSide(bind, new MemoryReadModel(new SystemClock())) };
    const program = extendedProgram([readSide, living({ start: look('start'), stop: look('stop') })]);
    isListening = () => program.api !== null;
    await program.start();
    expect(isListening()).to.equal(true);
    await program.stop();
    expect(happened).to.deep.equal(['start: closed', 'stop: closed']);
  });

  it('prevents the start of the program if it fails, and stops what has started', async () => {
    const failing = noting('failing', {
      start: async () => {
        throw new Error('no server at this address');
      },
    });
    const extensions = running([living(noting('first')), living(failing), living(noting('never'))]);
    const failure = await extensions.start(log, 'api').catch((error: unknown) => error);
    expect(failure).to.have.property(
      'message',
      'extension extension-2 failed to start: no server at this address',
    );
    await extensions.stop(log);
    expect(happened).to.deep.equal(['first starts', 'failing stops', 'first stops']);
  });

  it('blocks no other extension if it does not stop, and is reported', async () => {
    const hanging = { stop: () => new Promise<void>(() => {}) };
    const failing = {
      stop: async () => {
        throw new Error('cannot');
      },
    };
    const extensions = running([living(noting('first')), living(hanging), living(failing)], 20);
    await extensions.start(log, 'api');
    await extensions.stop(log);
    expect(happened).to.deep.equal(['first starts', 'first stops']);
    const reported = log.lines.filter(({ message }) => message === 'extension failed to stop');
    expect(reported.map(({ details }) => [details?.extension, String(details?.error)])).to.deep.equal([
      ['extension-3', 'Error: cannot'],
      ['extension-2', 'Error: no answer within 20 ms'],
    ]);
  });

  it('closes what it has created when it stops, within the time limit', async () => {
    const closing = (close: () => Promise<void>): Extension => ({
      api: (bind) => bind('clock', () => ({ now: () => 0 }), close),
    });
    const one = running([closing(async () => void happened.push('closed'))]);
    await one.start(log, 'api');
    await one.stop(log);
    expect(happened).to.deep.equal(['closed']);
    const other = running([closing(() => new Promise(() => {}))], 20);
    await other.start(log, 'api');
    await other.stop(log);
    expect(log.messages).to.include('some resources could not be closed');
  });

  describe('with a health check', () => {
    const reportOn = async (...checks: readonly ExtensionCheck[]) => {
      const checking: Extension = { api: () => ({ healthChecks: checks }) };
      const extensions = running([checking]);
      const readiness = new Readiness(() => examineAtOnce(extensions.checks), { ResponseCache: 'ours' });
      readiness.started();
      return readinessBody(await readiness.report());
    };
    const well: ExtensionCheck = { name: 'folder', run: async () => {} };
    const run = async () => {
      throw new Error('is full');
    };

    it('may use an instance of a class for it', async () => {
      class Disk {
        readonly name = 'disk';
        readonly #reason = 'is full';

        async run() {
          throw new Error(this.#reason);
        }
      }
      expect((await reportOn(new Disk())).checks).to.deep.equal({
        disk: { status: 'failed', code: 'disk.unread', reason: 'is full' },
      });
    });

    it('makes the program unready if the check fails, or degraded if it is not required', async () => {
      expect(await reportOn(well, { name: 'disk', run })).to.deep.include({
        status: 'not ready',
        checks: {
          folder: { status: 'ok' },
          disk: { status: 'failed', code: 'disk.unread', reason: 'is full' },
        },
      });
      expect(await reportOn({ name: 'disk', isNeeded: false, run })).to.deep.include({
        status: 'degraded',
        checks: { disk: { status: 'degraded', code: 'disk.unread', reason: 'is full' } },
      });
    });
  });
});
