import { expect } from 'chai';
import { progressReport, type RebuildProgress } from '../../../src/adapters/cli/progress-report.js';

const ERASE = '\r\x1b[K';

function written(isTTY: boolean | undefined, ...progress: RebuildProgress[]): string[] {
  const texts: string[] = [];
  const write = (text: string) => texts.push(text);
  const report = progressReport(isTTY === undefined ? { write } : { isTTY, write });
  for (const step of progress) report(step);
  return texts;
}

const blogs = (done: number, total: number): RebuildProgress => ({ kind: 'blogs', done, total });

describe('the progress of a rebuild', () => {
  it('is on a terminal a bar for each kind, which keeps its line when it is full', () => {
    const keys: RebuildProgress = { kind: 'apiKeys', done: 0, total: 0 };
    expect(written(true, keys, blogs(0, 60), blogs(30, 60), blogs(60, 60))).to.eql([
      `${ERASE}keys       ${'█'.repeat(30)} 0/0\n`,
      `${ERASE}blogs      ${'░'.repeat(30)} 0/60`,
      `${ERASE}blogs      ${'█'.repeat(15)}${'░'.repeat(15)} 30/60`,
      `${ERASE}blogs      ${'█'.repeat(30)} 60/60\n`,
    ]);
  });

  it('fits into 80 characters with ten million rows', () => {
    const [line = ''] = written(true, { kind: 'categories', done: 9_999_999, total: 10_000_000 });
    expect(line.replace(ERASE, '').length).to.be.below(80);
  });

  for (const isTTY of [false, undefined]) {
    it(`is a line for each tenth that is reached, without control characters (isTTY: ${isTTY})`, () => {
      const steps = Array.from({ length: 1001 }, (_, done) => blogs(done, 1000));
      expect(written(isTTY, ...steps)).to.eql(
        Array.from({ length: 11 }, (_, tenth) => `blogs      ${tenth * 10} % (${tenth * 100}/1000)\n`),
      );
      expect(written(isTTY, { kind: 'tags', done: 0, total: 0 }, blogs(0, 600), blogs(500, 600))).to.eql([
        'tags       100 % (0/0)\n',
        'blogs      0 % (0/600)\n',
        'blogs      80 % (500/600)\n',
      ]);
    });
  }
});
