/** One line of the table: what was measured, and what was promised. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly promise: string;
  readonly isKept: boolean;
}

/** The least time within which so great a part of them is. */
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
    isKept: p99 <= promisedMs,
  };
}

export function tableOf(figures: readonly Figure[]): string {
  const lines = figures.map(({ what, measured, promise, isKept }) => [
    what,
    measured,
    promise,
    isKept ? 'kept' : 'MISSED',
  ]);
  const rows = [['', 'measured', 'promised', ''], ...lines];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
