import type { Metric, MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client';
import type { CountedRequest } from '../../domain/ports/system/metrics.js';
import { REQUESTS } from './metric-names.js';

/** From a hit in the local cache to the longest possible request. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

interface RouteCounts {
  readonly statuses: Map<number, number>;
  /** How many took at most as long as the bucket says; the last one has all others. */
  readonly buckets: number[];
  seconds: number;
}

type Sample = Omit<MetricValueWithName<string>, 'metricName'> & { readonly metricName?: string };

/** Plain numbers, of which a scrape makes metrics: the package's counters take half of a HIT. */
export class RequestCounts {
  readonly #routes = new Map<string, RouteCounts>();
  readonly #verdicts = new Map<string, number>();
  readonly #sources = new Map<string, number>();

  constructor(registry: Registry) {
    register(registry, REQUESTS.answered, 'counter', () => this.#answered());
    register(registry, REQUESTS.duration, 'histogram', () => this.#durations());
    register(registry, REQUESTS.verdicts, 'counter', () => samplesOf('verdict', this.#verdicts));
    register(registry, REQUESTS.sources, 'counter', () => samplesOf('source', this.#sources));
  }

  count({ route, status, verdict, source, milliseconds }: CountedRequest): void {
    const counts = this.#countsOf(route);
    add(counts.statuses, status);
    const seconds = milliseconds / 1000;
    counts.seconds += seconds;
    let bucket = 0;
    while (seconds > (DURATION_BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
    if (verdict !== null) add(this.#verdicts, verdict);
    if (source !== null) add(this.#sources, source);
  }

  #countsOf(route: string): RouteCounts {
    const counts = this.#routes.get(route);
    if (counts !== undefined) return counts;
    const buckets = new Array<number>(DURATION_BUCKETS.length + 1).fill(0);
    const created = { statuses: new Map<number, number>(), buckets, seconds: 0 };
    this.#routes.set(route, created);
    return created;
  }

  #answered(): Sample[] {
    return [...this.#routes].flatMap(([route, { statuses }]) =>
      [...statuses].map(([status, value]) => ({ labels: { route, status: String(status) }, value })),
    );
  }

  #durations(): Sample[] {
    const { name } = REQUESTS.duration;
    return [...this.#routes].flatMap(([route, { buckets, seconds }]) => {
      let total = 0;
      const samples: Sample[] = buckets.map((count, index) => {
        total += count;
        const le = DURATION_BUCKETS[index] ?? '+Inf';
        return { metricName: `${name}_bucket`, labels: { le, route }, value: total };
      });
      const labels = { route };
      return [
        ...samples,
        { metricName: `${name}_sum`, labels, value: seconds },
        { metricName: `${name}_count`, labels, value: total },
      ];
    });
  }
}

function add<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function samplesOf(label: string, counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));
}

/** A registry only calls `get`, although its types declare the package's own classes. */
function register(
  registry: Registry,
  { name, help }: { readonly name: string; readonly help: string },
  type: 'counter' | 'histogram',
  values: () => Sample[],
): void {
  const get = async () =>
    ({ name, help, type, aggregator: 'sum', values: values() }) as unknown as MetricObjectWithValues<Sample>;
  registry.registerMetric({ name, get } as unknown as Metric);
}
