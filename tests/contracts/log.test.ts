import { expect } from 'chai';
import * as mocha from 'mocha';
import { openReadDatabase } from '../../src/adapters/postgres/read/read-database.js';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { LOG_LEVELS, type LogLevel } from '../../src/adapters/system/log-levels.js';
import { PinoLog } from '../../src/adapters/system/pino-log.js';
import { logContract } from '../../src/contracts/system/log.contract.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';

logContract(mocha, PinoLog, () => pinoLog('trace'));

describe('PinoLog', () => {
  const methods = ['debug', 'info', 'warn', 'error'] as const;

  for (const level of LOG_LEVELS) {
    const expected = methods.filter((method) => LOG_LEVELS.indexOf(method) >= LOG_LEVELS.indexOf(level));

    it(`writes ${expected.join(', ') || 'nothing'} at level ${level}`, () => {
      const { subject, written } = pinoLog(level);
      for (const method of methods) subject[method](`by ${method}`);
      expect(linesOf(written()).map(({ msg }) => msg)).to.deep.equal(
        expected.map((method) => `by ${method}`),
      );
    });
  }

  it('writes lines of JSON, with the time, the level and the details at the top', () => {
    const { subject, written } = pinoLog('info');
    subject.warn('it happened', { organizationId: 'org_a' });
    const [line] = linesOf(written());
    expect(line).to.include({ level: 40, msg: 'it happened', organizationId: 'org_a' });
    expect(line?.time).to.be.closeTo(Date.now(), 60_000);
    expect(line).not.to.have.any.keys('pid', 'hostname');
  });

  // Some drivers also write the values into the message of an error, and therefore into its stack.
  for (const open of [openReadDatabase, openDashboardDatabase]) {
    it(`writes no value of a query that failed on a database of ${open.name}`, async () => {
      const database = open(await createTestDatabase());
      const { subject, written } = pinoLog('trace');
      try {
        const queries = [
          database.from('missing_table').where({ hash: 'a secret' }).select('*'),
          database.raw('select * from missing_table where hash = ? or hash = ?', ['a secret', 'another']),
          database.raw('select * from missing_table where hash = :hash', { hash: 'a secret' }),
        ];
        for (const query of queries) {
          const error = await query.then(
            () => expect.fail('The query succeeded'),
            (reason: unknown) => reason,
          );
          subject.error('it failed', { error });
        }
      } finally {
        await database.destroy();
      }
      expect(written()).to.include('missing_table').and.not.include('a secret');
      for (const { error } of linesOf(written())) {
        expect(error?.message).to.include('missing_table').and.not.include('select * from');
        expect(error?.stack)
          .to.match(/^ +at /)
          .and.not.include('select * from');
      }
    });
  }
});

function pinoLog(level: LogLevel) {
  const parts: string[] = [];
  const subject = new PinoLog(
    { logLevel: level, logPretty: false },
    { write: (part) => parts.push(part) > 0 },
  );
  return { subject, written: () => parts.join('') };
}

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly error?: { readonly message: string; readonly stack: string };
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
