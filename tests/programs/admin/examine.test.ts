import { expect } from 'chai';
import sinon from 'sinon';
import type { Finding } from '../../../src/domain/model/finding.js';
import {
  check,
  checkBy,
  examineAtOnce,
  examineInTurn,
  ok,
  thorough,
} from '../../../src/programs/admin/examine.js';

const NEVER = new Promise<never>(() => {});
const named = (name: string, outcome: Finding['outcome'], earlier: readonly string[] = []) => ({
  ...checkBy(name, async () => ({ outcome, cause: null, message: `it is ${name}`, advice: 'mend it' })),
  after: earlier,
});
const unreadable = (message: string) =>
  check(
    'facts',
    () => 'restart it',
    () => Promise.reject(new Error(message)),
    () => ok('read'),
  );

for (const [title, examine] of Object.entries({ 'at once': examineAtOnce, 'in turn': examineInTurn })) {
  describe(`Checks that are examined ${title}`, () => {
    const notChecked = (name: string, earlier: string) => [
      'warning',
      `${name}.notChecked`,
      `not checked: see \`${earlier}\``,
      null,
    ];
    const findings = async (...checks: Parameters<typeof examine>[0]) =>
      (await examine(checks)).map(({ outcome, code, advice, message }) => [outcome, code, message, advice]);

    it('after one that failed say so without advice, and so do those after them', async () => {
      const database = named('away', 'failure');
      const tables = named('tables', 'failure', ['away']);
      expect(await findings(database, tables, named('rows', 'ok', ['tables']))).to.eql([
        ['failure', 'away', 'it is away', 'mend it'],
        notChecked('tables', 'away'),
        notChecked('rows', 'tables'),
      ]);
    });

    it('are judged after one with a warning', async () => {
      const [, second] = await findings(named('older', 'warning'), named('rows', 'failure', ['older']));
      expect(second).to.eql(['failure', 'rows', 'it is rows', 'mend it']);
    });

    it('fail with the reason and the advice for it if their facts cannot be read', async () => {
      expect(await findings(unreadable('no route'))).to.eql([
        ['failure', 'facts.unread', 'no route', 'restart it'],
      ]);
      const [[, code, , advice] = []] = await findings(unreadable('no answer within 5 ms'));
      expect(code).to.equal('facts.tooSlow');
      expect(advice).to.match(/^the server is away, slow or busy/);
    });
  });
}

describe('Checks that are examined at once', () => {
  afterEach(() => {
    sinon.restore();
  });

  it('take no longer than a probe waits', async () => {
    const clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const frozen = checkBy('frozen', () => NEVER);
    const examining = examineAtOnce([named('fine', 'ok'), frozen]);
    await clock.tickAsync(800);
    const [fine, late] = await examining;
    expect(fine?.outcome).to.equal('ok');
    expect(late).to.include({ outcome: 'failure', message: 'no answer within 800 ms' });
  });

  it('are the quick ones alone', async () => {
    let runs = 0;
    const slow = thorough(
      checkBy('slow', async () => {
        runs++;
        return ok('read');
      }),
    );
    expect((await examineAtOnce([slow, named('fine', 'ok')])).map(({ check }) => check)).to.eql(['fine']);
    expect(runs).to.equal(0);
  });
});
