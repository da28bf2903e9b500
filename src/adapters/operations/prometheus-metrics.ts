import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { CountedEvent, Metrics } from '../../domain/ports/system/metrics.js';
import { EVENTS, GAUGES, type GaugeName, REPLICAS, REQUESTS } from './metric-names.js';

/** From a hit in the local cache to the longest possible request. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

interface CountedRequest {
  readonly route: string;
  readonly status: number;
  readonly verdict: string | null;
  readonly source: string | null;
  readonly milliseconds: number;
}

interface ReplicaCounts {
  readonly name: string;
  readonly answered: number;
  readonly exclusion: string | null;
}

type Readings<Name extends GaugeName> = Readonly<Record<Name, number>>;

/** The metrics that one process sends to the process that adds them up. */
export type ReportedMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Counters and gauges of one process, for Prometheus. No label ever holds what a caller wrote. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #readers: (() => Promise<void>)[] = [];
  readonly #events: Readonly<Record<CountedEvent, Counter>>;
  readonly #answered: Counter<'route' | 'status'>;
  readonly #duration: Histogram<'route'>;
  readonly #verdicts: Counter<'verdict'>;
  readonly #sources: Counter<'source'>;

  constructor() {
    const registers = [this.#registry];
    const events = Object.entries(EVENTS).map(([event, description]) => [
      event,
      new Counter({ ...description, registers }),
    ]);
    this.#events = Object.fromEntries(events);
    this.#answered = new Counter({ ...REQUESTS.answered, registers });
    this.#duration = new Histogram({ ...REQUESTS.duration, buckets: DURATION_BUCKETS, registers });
    this.#verdicts = new Counter({ ...REQUESTS.verdicts, registers });
    this.#sources = new Counter({ ...REQUESTS.sources, registers });
  }

  count(event: CountedEvent, times = 1): void {
    this.#events[event].inc(times);
  }

  countRequest({ route, status, verdict, source, milliseconds }: CountedRequest): void {
    this.#answered.labels(route, String(status)).inc();
    this.#duration.labels(route).observe(milliseconds / 1000);
    if (verdict !== null) this.#verdicts.labels(verdict).inc();
    if (source !== null) this.#sources.labels(source).inc();
  }

  /** Reads the gauge at each scrape. A gauge that cannot be read is left out. */
  watch<Name extends GaugeName>(
    names: readonly Name[],
    read: () => Readings<Name> | Promise<Readings<Name>>,
  ): void {
    const gauges = names.map(
      (name) => [name, new Gauge({ ...GAUGES[name], registers: [this.#registry] })] as const,
    );
    this.#readers.push(async () => {
      try {
        const readings = await read();
        for (const [name, gauge] of gauges) gauge.set(readings[name]);
      } catch {
        for (const [, gauge] of gauges) gauge.remove();
      }
    });
  }

  /** Reads the replicas at each scrape. */
  watchReplicas(read: () => readonly ReplicaCounts[]): void {
    const registers = [this.#registry];
    const countAnswered = function (this: Counter<'replica'>) {
      this.reset();
      for (const { name, answered } of read()) this.labels(name).inc(answered);
    };
    const showExcluded = function (this: Gauge<'replica'>) {
      for (const { name, exclusion } of read()) this.labels(name).set(exclusion === null ? 0 : 1);
    };
    new Counter({ ...REPLICAS.answered, registers, collect: countAnswered });
    new Gauge({ ...REPLICAS.excluded, registers, collect: showExcluded });
  }

  /** Memory, processor and event loop, under the names that are usual for Node programs. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    await this.#read();
    return this.#registry.metrics();
  }

  async reported(): Promise<ReportedMetrics> {
    await this.#read();
    return this.#registry.getMetricsAsJSON();
  }

  async #read(): Promise<void> {
    await Promise.all(this.#readers.map((read) => read()));
  }
}
