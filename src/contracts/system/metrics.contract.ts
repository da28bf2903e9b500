import { expect } from 'chai';
import type { CountedEvent, Metrics } from '../../domain/ports/system/metrics.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';

export interface MetricsSubject {
  /** Nothing is counted yet. */
  readonly subject: Metrics;
  /** The number as operators see it. */
  numberOf(event: CountedEvent): number | Promise<number>;
}

/** The type ensures that every event is listed. */
const EVENTS = Object.keys({
  'without-redis': true,
  'limited-without-redis': true,
  'cache-failed': true,
  'row-unshown': true,
  'row-repaired': true,
  'job-failed': true,
  'session-failed': true,
  'total-repaired': true,
  'process-lost': true,
  'webhook-told': true,
  'webhook-failed': true,
} satisfies Record<CountedEvent, true>) as CountedEvent[];

export function metricsContract(
  runner: Runner,
  Adapter: AdapterClass<Metrics>,
  makeSubject: () => MetricsSubject | Promise<MetricsSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, which counts events,`, () => {
    let metrics: Metrics;
    let numberOf: MetricsSubject['numberOf'];

    beforeEach(async () => {
      ({ subject: metrics, numberOf } = await makeSubject());
    });

    const numbers = () => Promise.all(EVENTS.map(numberOf));

    itIsTestedItself(runner, Adapter, () => metrics);

    it('begins with zero', async () => {
      expect(await numbers()).to.deep.equal(EVENTS.map(() => 0));
    });

    it('counts each event, and nothing else with it', async () => {
      for (const [index, event] of EVENTS.entries()) {
        for (let times = 1; times <= 2; times++) {
          metrics.count(event);
          const expected = EVENTS.map((_, other) => (other < index ? 2 : other === index ? times : 0));
          expect(await numbers(), event).to.deep.equal(expected);
        }
      }
    });

    it('counts several at once, and zero for zero', async () => {
      const [first, second] = EVENTS as [CountedEvent, CountedEvent];
      metrics.count(first, 5);
      metrics.count(second, 0);
      metrics.count(first, 2);
      expect([await numberOf(first), await numberOf(second)]).to.deep.equal([7, 0]);
    });
  });
}
