import type { CountedEvent, Metrics } from '../../domain/ports/system/metrics.js';

/** Counts since the process started. */
export class MemoryMetrics implements Metrics {
  readonly #counts = new Map<CountedEvent, number>();

  count(event: CountedEvent, times = 1): void {
    this.#counts.set(event, this.of(event) + times);
  }

  of(event: CountedEvent): number {
    return this.#counts.get(event) ?? 0;
  }
}
