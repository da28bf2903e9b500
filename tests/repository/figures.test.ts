import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import parts from '../../docs/benchmarks/figures.json' with { type: 'json' };
import { chartOf } from '../tools/bench/chart.js';
import type { Figure } from '../tools/bench/figures.js';
import { PAGES, withFigures } from '../tools/bench/pages.js';

const figures = Object.values(parts).flatMap((part): readonly Figure[] => part.figures);

describe('What was measured', () => {
  for (const path of PAGES) {
    it(`is what ${path} says`, () => {
      const page = readFileSync(path, 'utf8');
      expect(page).to.equal(withFigures(path, page, figures));
    });
  }

  it('is what the chart shows', () => {
    expect(readFileSync('docs/benchmarks/figures.svg', 'utf8')).to.equal(chartOf(figures));
  });
});
