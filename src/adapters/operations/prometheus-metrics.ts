import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { CountedEvent, CountedRequest, Metrics } from '../../domain/ports/system/metrics.js';
import { EVENTS, GAUGES, type GaugeName } from './metric-names.js';
import { RequestCounts } from './request-counts.js';

type Readings<Name extends GaugeName> = Readonly<Record<Name, number>>;

/** The metrics that one process sends to the process that adds them up. */
export type ReportedMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Counters and gauges of one process, for Prometheus. No label ever holds what a caller wrote. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #readers: (() => Promise<void>)[] = [];
  readonly #events: Readonly<Record<CountedEvent, Counter>>;
  readonly #requests = new RequestCounts(this.#registry);

  constructor() {
    const registers = [this.#registry];
    const events = Object.entries(EVENTS).map(([event, description]) => [
      event,
      new Counter({ ...description, registers }),
    ]);
    this.#events = Object.fromEntries(events);
  }

  count(event: CountedEvent, times = 1): void {
    this.#events[event].inc(times);
  }

  countRequest(request: CountedRequest): void {
    this.#requests.count(request);
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
