import { AggregatorRegistry, type Registry } from 'prom-client';
import type { ReportedMetrics } from './prometheus-metrics.js';

/** Adds up the metrics of several processes. */
export function mergedMetrics(reported: readonly ReportedMetrics[]): Promise<string> {
  return sum(reported).metrics();
}

/** Keeps the counts of ended processes: Prometheus takes a falling counter for a reset. */
export function countersOf(reported: readonly ReportedMetrics[]): ReportedMetrics {
  const metrics = sum(reported).getMetricsAsArray() as unknown as ReportedMetrics;
  // prom-client writes the type as a string, although its types declare something else.
  return metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

function sum(reported: readonly ReportedMetrics[]): Registry {
  const merged = reported.flat().map((metric) => ({
    ...metric,
    // JSON cannot represent values that are not finite.
    values: metric.values.filter(({ value }) => Number.isFinite(value)),
    aggregator: aggregatorOf(metric),
  }));
  return AggregatorRegistry.aggregate([merged]);
}

function aggregatorOf({ name, aggregator }: ReportedMetrics[number]) {
  if (name === 'process_start_time_seconds') return 'min';
  // The largest lag: idle processes would hide it in a sum or an average.
  return name.startsWith('nodejs_eventloop_lag') ? 'max' : aggregator;
}
