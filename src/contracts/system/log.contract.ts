import { expect } from 'chai';
import type { Log } from '../../domain/ports/system/log.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';

export interface LogSubject {
  /** A log that drops nothing. */
  readonly subject: Log;
  /** Everything that it has written so far. */
  written(): string;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export function logContract(runner: Runner, Adapter: AdapterClass<Log>, makeSubject: () => LogSubject): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a log,`, () => {
    let log: Log;
    let written: LogSubject['written'];

    beforeEach(() => {
      ({ subject: log, written } = makeSubject());
    });

    itIsTestedItself(runner, Adapter, () => log);

    for (const level of LEVELS) {
      it(`writes the message and the details of what is logged with ${level}, as it comes`, () => {
        log[level]('it happened', { organizationId: 'org_a', count: 17 });
        expect(written()).to.include('it happened').and.include('org_a').and.include('17');
      });

      it(`writes a message without details with ${level}`, () => {
        log[level]('it happened');
        expect(written()).to.include('it happened');
      });
    }

    it('distinguishes its levels', () => {
      const lines = LEVELS.map((level) => {
        const before = written().length;
        log[level]('it happened');
        return written()
          .slice(before)
          .replace(/\d{6,}|[\d:.]{8,}/g, '');
      });
      expect(new Set(lines)).to.have.property('size', LEVELS.length);
    });

    it('writes a message of several lines as one line, so that no entry can be forged', () => {
      log.info('first\nsecond', { name: 'third\nfourth' });
      log.info('fifth');
      expect(written().trimEnd().split('\n')).to.have.length(2);
    });

    it('writes what an error is, where it came from and which code it has', () => {
      const error = Object.assign(new RangeError('out of everything'), { code: 'E_EVERYTHING' });
      log.error('it failed', { error });
      const text = written();
      expect(text).to.include('RangeError').and.include('out of everything').and.include('E_EVERYTHING');
      expect(text).to.include('log.contract');
    });

    it('writes no other properties of an error, because drivers attach the values of queries', () => {
      const error = Object.assign(new Error('it broke'), {
        bindings: ['a secret'],
        parameters: { key: 'a secret' },
        detail: 'Key (hash)=(a secret) already exists.',
        query: { values: ['a secret'] },
        cause: Object.assign(new Error('below'), { bindings: ['a secret'] }),
      });
      for (const level of LEVELS) log[level]('it failed', { error });
      expect(written()).to.include('it broke').and.not.include('a secret');
    });

    for (const name of ['err', 'reason', 'cause'] as const) {
      it(`writes no more of an error with the name ${name}`, () => {
        const error = Object.assign(new Error('it broke'), { bindings: ['a secret'] });
        log.error('it failed', { [name]: error });
        expect(written()).to.include('it failed').and.not.include('a secret');
      });
    }

    it('writes thrown values that are not errors, and circular ones', () => {
      const circle: Record<string, unknown> = {};
      circle.circle = circle;
      log.error('it failed', { error: 'just a text' });
      log.error('it failed', { error: null });
      log.error('it failed', { error: undefined, circle, big: 2n ** 70n, missing: undefined });
      expect(written()).to.include('just a text');
      expect(written().split('it failed')).to.have.length(4);
    });
  });
}
