import { AggregatorRegistry, type Registry } from 'prom-client';
import type { ReportedMetrics } from './prometheus-metrics.js';

type Metric = ReportedMetrics[number];

/**
 * Adds up the metrics of several processes. Of lags the largest counts, which idle ones would hide.
 */
export function mergedMetrics(reported: readonly ReportedMetrics[]): Promise<string> {
  return sum(reported).metrics();
}

/** Keeps the counts of ended processes: Prometheus takes a falling counter for a reset. */
export function countersOf(reported: readonly ReportedMetrics[]): ReportedMetrics {
  return (
    sum(reported)
      .getMetricsAsArray()
      .filter((metric): metric is Metric => 'values' in metric)
      // prom-client writes the type as a string, although its types declare something else.
      .filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
  );
}

function sum(reported: readonly ReportedMetrics[]): Registry {
  return AggregatorRegistry.aggregate(reported.map((metrics) => metrics.map(toBeAdded)));
}

function toBeAdded(metric: Metric): Metric {
  // JSON cannot represent values that are not finite.
  const values = metric.values.filter(({ value }) => Number.isFinite(value));
  return { ...metric, values, aggregator: aggregatorOf(metric) };
}

function aggregatorOf({ name, aggregator }: Metric): Metric['aggregator'] {
  if (name === 'process_start_time_seconds' || name === 'nodejs_eventloop_lag_min_seconds') return 'min';
  return name.startsWith('nodejs_eventloop_lag') ? 'max' : aggregator;
}
