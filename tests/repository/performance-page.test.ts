import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import parts from '../../docs/benchmarks/figures.json' with { type: 'json' };
import { chartOf } from '../qa/bench/chart.js';
import { type Figure, tableOf, worstOf } from '../qa/bench/figures.js';

const figures = Object.values(parts).flatMap((part): readonly Figure[] => part.figures);

function figure(what: string, kept: number): Figure {
  return { what, measured: '', promise: '', kept };
}

describe('docs/performance.md', () => {
  it('has the table of the figures that were measured', () => {
    expect(readFileSync('docs/performance.md', 'utf8')).to.contain(tableOf(worstOf(figures)));
  });

  it('shows their chart, with twelve bars', () => {
    const chart = chartOf(figures);
    expect(readFileSync('docs/benchmarks/figures.svg', 'utf8')).to.equal(chart);
    expect(chart.match(/ fill="#/g)).to.have.length(12);
  });
});

describe('The table of the figures', () => {
  it('has one row for the pages of a list, with the one that keeps its promise worst', () => {
    const worst = figure('cold last page of all, 1000 blogs against 200, with statistics', 0.8);
    const others = [
      figure('cold first page of all, 1000 blogs against 200, without statistics', 1.5),
      figure('cold middle page of all, 1000 blogs, without statistics', 0.9),
    ];
    const page = figure('cold first page of a website, 1000 blogs against 200, without statistics', 1.2);
    expect(worstOf([...others, worst, page])).to.deep.equal([worst, page]);
  });
});

describe('The chart of the figures', () => {
  it('leaves out what was not measured', () => {
    const refused = { ...figure('commit to 401, nothing else going on, 50 times', 2), measured: 'p99 50 ms' };
    expect(chartOf([refused]).match(/ fill="#/g)).to.have.length(1);
  });
});
