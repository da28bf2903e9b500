/** One line of the table: what was measured, and the promise. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  /** Empty: it is only measured. */
  readonly promise: string;
  /** How many times the promise is exceeded. Below 1 it is broken. */
  readonly kept: number;
}

/** Called with each figure as soon as it is measured. */
export type Note = (...figures: readonly Figure[]) => void;

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function atLeast(what: string, measured: number, promised: number, unit = ''): Figure {
  const [shown, kept] = [written(measured, promised, unit), measured / promised];
  return { what, measured: shown, promise: `>= ${promised}${unit}`, kept };
}

export function atMost(what: string, measured: number, promised: number, unit = ''): Figure {
  const [shown, kept] = [written(measured, promised, unit), promised / measured];
  return { what, measured: shown, promise: `<= ${promised}${unit}`, kept };
}

function written(measured: number, promised: number, unit: string): string {
  return `${measured.toFixed(promised < 10 ? 2 : 0)}${unit}`;
}

/** The shortest time that is not exceeded by this part of the times. */
export function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

export function delay(what: string, times: readonly number[], promisedMs: number): Figure {
  const p99 = percentile(times, 0.99);
  return {
    what: `${what}, ${times.length} times`,
    measured: `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    promise: `p99 <= ${promisedMs} ms`,
    kept: promisedMs / p99,
  };
}

/** As a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const lines = figures.map(({ what, measured, promise, kept }) => [
    what,
    measured,
    promise,
    promise === '' ? '' : kept >= 1 ? 'kept' : '**missed**',
  ]);
  const rows = [['', 'measured', 'promised', ''], ['---', '---', '---', '---'], ...lines];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
