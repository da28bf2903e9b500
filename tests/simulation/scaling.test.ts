import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { calculateAnswers } from './calculated-answers.js';
import { COSTS } from './costs.js';
import { simulateEdits } from './edits.js';
import { needsOf } from './needs.js';
import { drawFrom, drawRank, randomFrom, zipfShares } from './random.js';
import result from './result.json' with { type: 'json' };
import { partOf, SCENARIO } from './scenario.js';
import { simulateAnswers } from './simulated-answers.js';
import { sectionsOf } from './tables.js';

const PARTS = ['near', 'shared', 'computed'] as const;

describe('The figures of docs/scaling.md', () => {
  const document = readFileSync('docs/scaling.md', 'utf8');

  for (const [name, section] of Object.entries(
    sectionsOf(result, needsOf(result, SCENARIO, COSTS), SCENARIO, COSTS),
  )) {
    it(`follow from the measured costs, or \`npm run simulate:scale\` has to be run: ${name}`, () => {
      expect(document).to.include(`<!-- ${name} -->\n${section}\n<!-- /${name} -->`);
    });
  }

  it('are the results of the calculation and of the simulated edits', () => {
    // Versions of V8 may differ in the last digit of a power.
    const answers = calculateAnswers(SCENARIO, COSTS);
    for (const part of PARTS) expect(answers[part], part).to.be.closeTo(result.answers[part], 1e-6);
    const { p50Ms, p99Ms, fanOutPerSecond } = simulateEdits(SCENARIO, COSTS);
    expect(p50Ms).to.be.closeTo(result.edits.p50Ms, 0.5);
    expect(p99Ms).to.be.closeTo(result.edits.p99Ms, 0.5);
    expect(fanOutPerSecond).to.be.closeTo(result.edits.fanOutPerSecond, 0.5);
  });

  it('are close to a simulation request by request', () => {
    const { calculated, simulated } = result.check;
    for (const part of PARTS) expect(simulated[part], part).to.be.closeTo(calculated[part], 0.01);
  });
});

describe('The simulation of a thousandth of the load', () => {
  const thousandth = partOf(SCENARIO, 1_000);

  it('has the same result with the same seed, and is close to the calculation', () => {
    const simulated = simulateAnswers(thousandth, COSTS);
    expect(simulateAnswers(thousandth, COSTS)).to.deep.equal(simulated);
    const calculated = calculateAnswers(thousandth, COSTS);
    for (const part of PARTS) expect(simulated[part], part).to.be.closeTo(calculated[part], 0.03);
  });

  it('computes fewer answers without edits, and more if answers have a short lifetime', () => {
    const { computed } = calculateAnswers(thousandth, COSTS);
    expect(calculateAnswers({ ...thousandth, editsPerSecond: 1e-9 }, COSTS).computed).to.be.below(computed);
    const moment = { detail: 1, list: 1, search: 1 };
    expect(calculateAnswers({ ...thousandth, lifetimeSeconds: moment }, COSTS).computed).to.be.above(
      computed,
    );
  });

  it('shows edits later if more of them are renames', () => {
    const usual = simulateEdits(SCENARIO, COSTS);
    const many = simulateEdits({ ...SCENARIO, renames: 10 * SCENARIO.renames }, COSTS);
    expect(many.fanOutPerSecond).to.be.above(usual.fanOutPerSecond);
    expect(many.backlogSeconds).to.be.at.least(usual.backlogSeconds);
  });

  it('draws each rank in proportion to its share', () => {
    const random = randomFrom(1);
    const shares = zipfShares(10, 1);
    const draw = drawFrom(shares, random);
    const drawn = new Array<number>(10).fill(0);
    for (let n = 0; n < 100_000; n++) {
      const rank = draw();
      drawn[rank] = (drawn[rank] ?? 0) + 1;
    }
    for (const [rank, share] of shares.entries())
      expect((drawn[rank] ?? 0) / 100_000).to.be.closeTo(share, 0.01);
    const ranks = Array.from({ length: 1_000 }, () => drawRank(5, 1.1, random));
    expect([Math.min(...ranks), Math.max(...ranks)]).to.eql([0, 4]);
  });
});
