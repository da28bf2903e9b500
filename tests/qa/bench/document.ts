import { readFile, writeFile } from 'node:fs/promises';
import { chartOf } from './chart.js';
import { type Figure, tableOf, worstOf } from './figures.js';

const DOCUMENT = new URL('../../../docs/performance.md', import.meta.url);
const CHART = new URL('../../../docs/benchmarks/figures.svg', import.meta.url);

/** Writes the chart and the table of all figures. */
export async function documentFigures(figures: readonly Figure[]): Promise<void> {
  await writeFile(CHART, chartOf(figures));
  await putIntoDocument('figures', tableOf(worstOf(figures)));
}

/** Writes a table between the marks of this name in docs/performance.md. */
export async function putIntoDocument(name: string, table: string): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8');
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*(<!-- /${name} -->)`);
  await writeFile(
    DOCUMENT,
    text.replace(marked, (_, begin, end) => `${begin}${table}\n${end}`),
  );
}
