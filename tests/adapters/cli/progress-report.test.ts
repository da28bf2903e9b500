import { expect } from 'chai';
import { progressReport, type RebuildProgress } from '../../../src/adapters/cli/progress-report.js';

function written(isTTY: boolean | undefined, ...progress: RebuildProgress[]): string[] {
  const texts: string[] = [];
  const write = (text: string) => texts.push(text);
  const report = progressReport(isTTY === undefined ? { write } : { isTTY, write });
  for (const step of progress) report(step);
  return texts;
}

const blogs = (done: number, total: number): RebuildProgress => ({ kind: 'blogs', done, total });

describe('the progress of a rebuild', () => {
  describe('on a terminal', () => {
    const ERASE = '\r\x1b[K';

    it('is a bar that fills one line, and keeps the line when it is full', () => {
      expect(written(true, blogs(0, 60), blogs(30, 60), blogs(60, 60))).to.eql([
        `${ERASE}blogs      ${'░'.repeat(30)} 0/60`,
        `${ERASE}blogs      ${'█'.repeat(15)}${'░'.repeat(15)} 30/60`,
        `${ERASE}blogs      ${'█'.repeat(30)} 60/60\n`,
      ]);
    });

    it('is full immediately if there is nothing to do', () => {
      expect(written(true, blogs(0, 0))).to.eql([`${ERASE}blogs      ${'█'.repeat(30)} 0/0\n`]);
    });

    it('has a line for each kind, with aligned bars', () => {
      const kinds = ['apiKeys', 'categories', 'tags', 'blogs'] as const;
      const lines = written(true, ...kinds.map((kind) => ({ kind, done: 1, total: 1 })));

      expect(lines.map((line) => line.replace(ERASE, '').replace(/█+/, '|'))).to.eql([
        'keys       | 1/1\n',
        'categories | 1/1\n',
        'tags       | 1/1\n',
        'blogs      | 1/1\n',
      ]);
    });

    it('fits into 80 characters with ten million rows', () => {
      const [line = ''] = written(true, { kind: 'categories', done: 9_999_999, total: 10_000_000 });

      expect(line.replace(ERASE, '').length).to.be.below(80);
    });
  });

  for (const isTTY of [false, undefined]) {
    describe(`without a terminal (isTTY: ${isTTY})`, () => {
      it('is a line for each tenth, without control characters', () => {
        const steps = Array.from({ length: 1001 }, (_, done) => blogs(done, 1000));

        expect(written(isTTY, ...steps)).to.eql(
          Array.from({ length: 11 }, (_, tenth) => `blogs      ${tenth * 10} % (${tenth * 100}/1000)\n`),
        );
      });

      it('leaves out tenths that are skipped', () => {
        expect(written(isTTY, blogs(0, 600), blogs(250, 600), blogs(500, 600), blogs(600, 600))).to.eql([
          'blogs      0 % (0/600)\n',
          'blogs      40 % (250/600)\n',
          'blogs      80 % (500/600)\n',
          'blogs      100 % (600/600)\n',
        ]);
      });

      it('is one line for each kind if there is nothing to do', () => {
        expect(written(isTTY, { kind: 'apiKeys', done: 0, total: 0 }, blogs(0, 0))).to.eql([
          'keys       100 % (0/0)\n',
          'blogs      100 % (0/0)\n',
        ]);
      });
    });
  }
});
