import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import parts from '../../docs/benchmarks/figures.json' with { type: 'json' };
import { chartOf } from '../qa/bench/chart.js';
import { type Figure, tableOf } from '../qa/bench/figures.js';

const figures = Object.values(parts).flatMap((part): readonly Figure[] => part.figures);

describe('docs/performance.md', () => {
  it('has the table of the figures that were measured', () => {
    expect(readFileSync('docs/performance.md', 'utf8')).to.contain(tableOf(figures));
  });

  it('shows their chart', () => {
    expect(readFileSync('docs/benchmarks/figures.svg', 'utf8')).to.equal(chartOf(figures));
  });
});
