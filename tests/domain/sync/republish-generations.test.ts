import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import type { RaisedGeneration } from '../../../src/domain/model/read-model.js';
import { nextGeneration } from '../../../src/domain/policies/next-generation.js';
import type { GenerationHistory } from '../../../src/domain/ports/generation-history.js';
import { RepublishGenerations } from '../../../src/domain/sync/republish-generations.js';
import { Gate } from '../../support/clock/gate.js';

const SECOND = 1_000_000;
const NOON = Date.UTC(2026, 0, 15, 12) * 1000;

/** The generations of the read tables. As the port requires, `above` returns all that equal the last one, too. */
class Tables implements GenerationHistory {
  readonly generations = new Map<string, number>();
  time = NOON;

  async now(): Promise<number> {
    return this.time;
  }

  /** Raises a generation as a commit does. */
  raise(organizationId: string): void {
    const last = this.generations.get(organizationId) ?? 0;
    this.generations.set(organizationId, nextGeneration(last, this.time / 1000));
  }

  async above(generation: number, limit: number): Promise<readonly RaisedGeneration[]> {
    const raised = [...this.generations]
      .map(([organizationId, reached]) => ({ organizationId, generation: reached }))
      .filter((each) => each.generation > generation)
      .sort((a, b) => a.generation - b.generation);
    const last = raised[limit - 1]?.generation ?? Number.POSITIVE_INFINITY;
    return raised.filter((each) => each.generation <= last);
  }
}

describe('RepublishGenerations', () => {
  let tables: Tables;
  let published: string[];
  let republisher: RepublishGenerations;

  const publish = async (raised: readonly RaisedGeneration[]) => {
    published.push(...raised.map(({ organizationId }) => organizationId));
    return true;
  };
  const publishedByRun = async () => {
    published = [];
    await republisher.run();
    return published;
  };

  beforeEach(() => {
    tables = new Tables();
    published = [];
    republisher = new RepublishGenerations(tables, { publish });
  });

  it('publishes all generations at first, and nothing if there are none', async () => {
    expect(await publishedByRun()).to.eql([]);
    tables.generations.set('old', 1).set('new', NOON);

    expect(await publishedByRun()).to.eql(['old', 'new']);
  });

  it('publishes what was raised since, and what a transaction may have committed late', async () => {
    tables.generations.set('old', NOON - 3600 * SECOND).set('new', NOON);
    await republisher.run();
    tables.generations.set('late', NOON - 59 * SECOND).set('next', NOON + SECOND);

    expect(await publishedByRun()).to.have.members(['late', 'new', 'next']);
  });

  it('publishes all generations after it starts over', async () => {
    tables.generations.set('old', NOON - 3600 * SECOND).set('new', NOON);
    await republisher.run();
    republisher.restart();

    expect(await publishedByRun()).to.eql(['old', 'new']);
  });

  it('starts over even if that is requested during a run', async () => {
    tables.generations.set('old', NOON - 3600 * SECOND).set('new', NOON);
    await republisher.run();
    const gate = new Gate();
    const above = sinon.stub(tables, 'above').callThrough();
    above.onFirstCall().callsFake(() => gate.wait().then(() => []));
    const running = republisher.run();
    await gate.arrived;
    republisher.restart();
    gate.open();
    await running;

    expect(await publishedByRun()).to.eql(['old', 'new']);
  });

  it('publishes many organizations in pages', async () => {
    for (let n = 0; n < 1201; n++) tables.generations.set(`org_${n}`, NOON + n);
    const sizes: number[] = [];
    republisher = new RepublishGenerations(tables, {
      publish: async (raised) => sizes.push(raised.length) > 0,
    });
    await republisher.run();

    expect(sizes.filter((size) => size > 0)).to.eql([500, 500, 201]);
  });

  it('omits none of those that were raised in the same microsecond', async () => {
    for (let n = 0; n < 499; n++) tables.generations.set(`org_${n}`, NOON - n - 1);
    for (let n = 499; n < 502; n++) tables.generations.set(`org_${n}`, NOON);

    expect(new Set(await publishedByRun()).size).to.equal(502);
  });

  it('passes a failure on, and publishes the same again next time', async () => {
    tables.generations.set('org', NOON);
    const failing = sinon
      .stub()
      .onFirstCall()
      .rejects(new Error('the published generations are unavailable'))
      .callsFake(publish);
    republisher = new RepublishGenerations(tables, { publish: failing });

    const failure = await republisher.run().catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'the published generations are unavailable');
    expect(await publishedByRun()).to.eql(['org']);
  });

  describe('over read tables whose clock is set', () => {
    it('publishes what is raised by a correct clock after a fast one', async () => {
      tables.time = NOON + 600 * SECOND;
      tables.raise('fast');
      await republisher.run();
      tables.time = NOON;
      tables.raise('right');

      expect(await publishedByRun()).to.include('right');
    });

    it('publishes what is raised by a slow clock after a correct one', async () => {
      tables.raise('right');
      await republisher.run();
      tables.time = NOON - 600 * SECOND;
      tables.raise('slow');

      expect(await publishedByRun()).to.include('slow');
    });

    it('publishes what was raised while its runs failed, whatever the clock did', async () => {
      tables.time = NOON + 600 * SECOND;
      tables.raise('fast');
      await republisher.run();
      const failing = sinon.stub(tables, 'now').rejects(new Error('unavailable'));
      await republisher.run().catch(() => {});
      failing.restore();
      tables.time = NOON;
      tables.raise('right');
      tables.time = NOON + 300 * SECOND;

      expect(await publishedByRun()).to.include('right');
    });

    it('publishes a generation ahead of the clock once, and again when it is raised', async () => {
      tables.generations.set('ahead', NOON + 3600 * SECOND);
      expect(await publishedByRun()).to.eql(['ahead']);
      expect(await publishedByRun()).to.eql([]);
      tables.raise('ahead');
      expect(await publishedByRun()).to.eql(['ahead']);
      republisher.restart();
      expect(await publishedByRun()).to.eql(['ahead']);
    });

    it('misses nothing, whatever is raised and however the clock is set between two runs', async () => {
      const step = fc.oneof(
        fc.record({ raise: fc.constantFrom('a', 'b', 'c') }),
        fc.record({ pass: fc.nat({ max: 20 }) }),
        fc.record({ set: fc.integer({ min: -1200, max: 1200 }) }),
        fc.constantFrom('publishing fails' as const, 'start over' as const),
      );
      const history = fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(history, async (runs) => {
          const its = new Tables();
          const published = new Map<string, number>();
          let fails = false;
          const republisher = new RepublishGenerations(its, {
            publish: async (raised) => {
              if (fails) return false;
              for (const { organizationId, generation } of raised) published.set(organizationId, generation);
              return true;
            },
          });
          for (const steps of runs) {
            let passed = 0;
            let isSet = false;
            fails = false;
            for (const each of steps) {
              if (each === 'publishing fails') fails = true;
              else if (each === 'start over') republisher.restart();
              else if ('raise' in each) its.raise(each.raise);
              else if ('set' in each) {
                if (!isSet) its.time += each.set * SECOND;
                isSet = true;
              }
              // Two runs are always less than a minute apart, and the clock is set at most once between them.
              else if (passed + each.pass < 60) {
                passed += each.pass;
                its.time += each.pass * SECOND;
              }
            }
            if (await republisher.run()) expect(published).to.deep.equal(its.generations);
          }
        }),
        { numRuns: 300 },
      );
    });
  });
});
