import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import figures from '../../docs/benchmarks/figures.json' with { type: 'json' };

const all = Object.values(figures).flatMap((part) => part.figures);

/** The numbers in the measured values of all figures with a matching name. */
function measured(name: RegExp, numbers: RegExp): readonly (readonly number[])[] {
  const found = all.filter(({ what }) => name.test(what));
  if (found.length === 0) throw new Error(`The benchmark has no figure with a name like ${name}`);
  return found.map(({ measured }) => (numbers.exec(measured) ?? []).slice(1).map(Number));
}

function one(name: RegExp, numbers: RegExp): readonly number[] {
  return measured(name, numbers)[0] ?? [];
}

const twoDigits = (value: number) => Number(value.toPrecision(2)).toLocaleString('en');

const RATES = /\((\d+) : (\d+) a second/;
const TIMES = /p50 (\d+) ms, p99 (\d+) ms/;

describe('README', () => {
  const [cached = 0] = one(/^warm HIT of a list of 20, Node v20\S*: with Redis, of Koa/, RATES);
  const [computed = 0, withSql = 0] = one(/^MISS of unique searches, Node v20/, RATES);
  const [visible, visibleP99] = one(/^commit to visible, nothing else going on/, TIMES);
  const [refused, refusedP99] = one(/^commit to 401, nothing else going on/, TIMES);
  const slowest = Math.max(...measured(/^cold (?:first|last) page of/, /^([\d.]+)/).flat());

  for (const [subject, sentence] of [
    [
      'an endpoint in the dashboard',
      `about ${twoDigits(withSql)}: each runs its SQL; no key check, no rate limit`,
    ],
    ['responses', `about ${twoDigits(cached)} cached, ${twoDigits(computed)} uncached`],
    ['a visible change', `after ${visible} ms (median), ${visibleP99} ms (p99)`],
    ['a revoked key', `after ${refused} ms (median), ${refusedP99} ms (p99)`],
    ['a page of a million blogs', `takes at most ${slowest.toFixed(1)} times as long as with 200`],
  ] as const) {
    it(`has the measured figures of ${subject}`, async () => {
      expect(await readFile('README.md', 'utf8')).to.contain(sentence);
    });
  }
});
