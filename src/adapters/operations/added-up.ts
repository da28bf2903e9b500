import { AggregatorRegistry, type Registry } from 'prom-client';
import type { ToldMetrics } from './prometheus-metrics.js';

type Metric = ToldMetrics[number];

/**
 * What several processes tell, as one scrape. Counters, histograms and most gauges are added up. A lag is that of the process in which it
 * is longest: on average it would hide behind processes that are idle.
 */
export function addedUp(told: readonly ToldMetrics[]): Promise<string> {
  return sum(told).metrics();
}

/** What ended processes counted stays: a counter that falls looks to Prometheus like one that began anew. */
export function countersOf(told: readonly ToldMetrics[]): ToldMetrics {
  return sum(told)
    .getMetricsAsArray()
    .filter((metric): metric is Metric => 'values' in metric)
    .filter(isCounted);
}

function sum(told: readonly ToldMetrics[]): Registry {
  return AggregatorRegistry.aggregate(told.map((metrics) => metrics.map(toBeAdded)));
}

function toBeAdded(metric: Metric): Metric {
  // What is no number has no form in the JSON that carries it.
  const values = metric.values.filter(({ value }) => Number.isFinite(value));
  return { ...metric, values, aggregator: aggregatorOf(metric) };
}

function aggregatorOf({ name, aggregator }: Metric): Metric['aggregator'] {
  if (name === 'process_start_time_seconds' || name === 'nodejs_eventloop_lag_min_seconds') return 'min';
  return name.startsWith('nodejs_eventloop_lag') ? 'max' : aggregator;
}

function isCounted({ type }: Pick<Metric, 'type'>): boolean {
  // As prom-client writes it down, whatever its types say.
  return ['counter', 'histogram'].includes(String(type));
}
