import { expect } from 'chai';
import { embeddedConfiguration } from '../../support/programs/valid-configurations.js';
import { problemsOf } from '../problems-of.js';

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  PORT: [0, 65_535],
  ADMIN_PORT: [0, 65_535],
  DRAIN_SECONDS: [0, 300],
  RATE_LIMIT_MAX: [1, 10_000_000],
  RATE_LIMIT_WINDOW_SECONDS: [1, 86_400],
  CACHE_LIST_TTL_SECONDS: [0, 31_536_000],
  CACHE_DETAIL_TTL_SECONDS: [0, 31_536_000],
  SYNC_POLL_MS: [10, 60_000],
};
const NO_NUMBERS = [
  '+1',
  '1.5',
  '1e2',
  '0x10',
  ' 1',
  '1 ',
  '1\n',
  'NaN',
  'Infinity',
  'one',
  '١',
  '9'.repeat(400),
];

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

interface Values {
  readonly variable: string;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  readonly rule: string;
}

const VALUES: readonly Values[] = [
  ...Object.entries(RANGES).map(([variable, [from, to]]) => ({
    variable,
    accepted: [`${from}`, `${to}`],
    refused: [`${from - 1}`, `${to + 1}`, ...NO_NUMBERS],
    rule: `a whole number from ${from} to ${to}`,
  })),
  {
    variable: 'LOG_LEVEL',
    accepted: LEVELS,
    refused: ['INFO', 'verbose', '30', ' info', '__proto__', 'constructor'],
    rule: `one of ${LEVELS.join(', ')}`,
  },
  {
    variable: 'LOG_PRETTY',
    accepted: ['true', '1', 'false', '0'],
    refused: ['yes', 'TRUE', 'on', '2', 'null'],
    rule: 'one of true, false, 1, 0',
  },
];

describe('The configuration', () => {
  for (const { variable, accepted, refused, rule } of VALUES) {
    it(`takes for ${variable} ${rule}, and nothing else`, () => {
      for (const text of accepted)
        expect(() => embeddedConfiguration({ [variable]: text }), text).not.to.throw();
      for (const text of refused) {
        const [problem, ...others] = problemsOf(() => embeddedConfiguration({ [variable]: text }));
        expect(problem?.startsWith(`${variable} must be ${rule}, not "`), problem).to.equal(true);
        expect(others).to.eql([]);
      }
    });
  }

  it('reads true and 1 as true, and false and 0 as false', () => {
    const values = ['true', '1', 'false', '0'].map(
      (text) => embeddedConfiguration({ LOG_PRETTY: text }).logPretty,
    );
    expect(values).to.eql([true, true, false, false]);
  });
});
