import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import parts from '../../docs/benchmarks/figures.json' with { type: 'json' };
import { type Figure, tableOf } from '../qa/bench/figures.js';

describe('docs/performance.md', () => {
  it('has the table of the figures that were measured', () => {
    const figures = Object.values(parts).flatMap((part): readonly Figure[] => part.figures);
    expect(readFileSync('docs/performance.md', 'utf8')).to.contain(tableOf(figures));
  });
});
