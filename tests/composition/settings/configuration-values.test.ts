import { expect } from 'chai';
import { embeddedConfiguration } from '../../../src/composition/settings/configuration.js';
import { problemsOf } from '../problems-of.js';

const NUMBERS = [
  { variable: 'PORT', from: 0, to: 65_535 },
  { variable: 'ADMIN_PORT', from: 0, to: 65_535 },
  { variable: 'DRAIN_SECONDS', from: 0, to: 300 },
  { variable: 'RATE_LIMIT_MAX', from: 1, to: 10_000_000 },
  { variable: 'RATE_LIMIT_WINDOW_SECONDS', from: 1, to: 86_400 },
  { variable: 'CACHE_LIST_TTL_SECONDS', from: 0, to: 31_536_000 },
  { variable: 'CACHE_DETAIL_TTL_SECONDS', from: 0, to: 31_536_000 },
  { variable: 'SYNC_POLL_MS', from: 10, to: 60_000 },
];

const NO_NUMBERS = [
  '-1',
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

describe('The configuration', () => {
  for (const { variable, from, to } of NUMBERS) {
    describe(`reads ${variable}`, () => {
      const problems = (text: string) => problemsOf(() => embeddedConfiguration({ [variable]: text }));

      it(`as a whole number from ${from} to ${to}`, () => {
        for (const text of [`${from}`, `${to}`]) {
          expect(() => embeddedConfiguration({ [variable]: text })).not.to.throw();
        }
      });

      it('and refuses the values just beyond this range', () => {
        const range = `must be a whole number from ${from} to ${to}`;

        expect(problems(`${from - 1}`)).to.eql([`${variable} ${range}, not "${from - 1}"`]);
        expect(problems(`${to + 1}`)).to.eql([`${variable} ${range}, not "${to + 1}"`]);
      });

      for (const text of NO_NUMBERS) {
        it(`and refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
          const [problem, ...others] = problems(text);
          expect(problem).to.match(new RegExp(`^${variable} must be a whole number`));
          expect(others).to.eql([]);
        });
      }
    });
  }

  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']) {
    it(`accepts the log level ${level}`, () => {
      expect(embeddedConfiguration({ LOG_LEVEL: level })).to.include({ logLevel: level });
    });
  }

  for (const level of ['INFO', 'verbose', '30', ' info', '__proto__', 'constructor']) {
    it(`refuses the log level "${level}" and names the valid ones`, () => {
      expect(problemsOf(() => embeddedConfiguration({ LOG_LEVEL: level }))).to.eql([
        `LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "${level}"`,
      ]);
    });
  }

  for (const [text, logPretty] of [
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ] as const) {
    it(`reads LOG_PRETTY=${text} as ${logPretty}`, () => {
      expect(embeddedConfiguration({ LOG_PRETTY: text })).to.include({ logPretty });
    });
  }

  for (const text of ['yes', 'TRUE', 'on', '2', 'null']) {
    it(`refuses LOG_PRETTY=${text}`, () => {
      expect(problemsOf(() => embeddedConfiguration({ LOG_PRETTY: text }))).to.eql([
        `LOG_PRETTY must be true or false, not "${text}"`,
      ]);
    });
  }

  for (const host of [
    'localhost',
    '127.0.0.1',
    '127.1',
    '::',
    '::1',
    'fe80::1%eth0',
    '1.2.3.4.example.com',
  ]) {
    it(`accepts the host ${host}`, () => {
      expect(embeddedConfiguration({ HOST: host })).to.include({ host });
    });
  }

  const wrongHosts = ['http://localhost', 'local host', '10.0.0.0/8', ' ', '127.0.0.1\t'];
  const impossibleAddresses = [
    '999.1.1.1',
    '127.0.0.256',
    '::g',
    '[::1]',
    'localhost:3000',
    '127.0.0.1:3000',
  ];
  for (const host of [...wrongHosts, ...impossibleAddresses]) {
    it(`refuses the host ${JSON.stringify(host)}`, () => {
      const [problem, ...others] = problemsOf(() => embeddedConfiguration({ HOST: host }));
      expect(problem).to.match(/^HOST must be a host name or an address, not "/);
      expect(others).to.eql([]);
    });
  }
});
