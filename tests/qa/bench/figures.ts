/** One line of the table: what was measured, and the promise. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
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
  const digits = promised < 10 ? 2 : 0;
  return {
    what,
    measured: `${measured.toFixed(digits)}${unit}`,
    promise: `>= ${promised}${unit}`,
    kept: measured / promised,
  };
}

export function atMost(what: string, measured: number, promised: number, unit = ''): Figure {
  const digits = promised < 10 ? 2 : 0;
  return {
    what,
    measured: `${measured.toFixed(digits)}${unit}`,
    promise: `<= ${promised}${unit}`,
    kept: promised / measured,
  };
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

/** What one row of the table is about, whichever page, size or version of Node was measured. */
const VARIANTS =
  / (?:first|middle|last)(?= page)|, \d+ blogs(?: against \d+)?|, with(?:out)? statistics|, Node v[\d.]+/g;

/** Of the figures that differ only in their variants, the one that keeps its promise worst. */
export function worstOf(figures: readonly Figure[]): readonly Figure[] {
  const rows = new Map<string, Figure>();
  for (const figure of figures) {
    const subject = figure.what.replaceAll(VARIANTS, '');
    const worst = rows.get(subject);
    if (worst === undefined || figure.kept < worst.kept) rows.set(subject, figure);
  }
  return [...rows.values()];
}

/** As a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const lines = figures.map(({ what, measured, promise, kept }) => [
    what,
    measured,
    promise,
    kept >= 1 ? 'kept' : '**missed**',
  ]);
  const rows = [['', 'measured', 'promised', ''], ['---', '---', '---', '---'], ...lines];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
