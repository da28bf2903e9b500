import { readFile, writeFile } from 'node:fs/promises';
import { chartOf } from './chart.js';
import { type Figure, tableOf, worstOf } from './figures.js';

const PAGE = new URL('../../../docs/performance.md', import.meta.url);
const CHART = new URL('../../../docs/benchmarks/figures.svg', import.meta.url);
const TABLE = /(<!-- figures -->\n)[\s\S]*(<!-- \/figures -->)/;

/** Writes the chart and the table of all figures. */
export async function documentFigures(figures: readonly Figure[]): Promise<void> {
  await writeFile(CHART, chartOf(figures));
  const page = await readFile(PAGE, 'utf8');
  const table = tableOf(worstOf(figures));
  await writeFile(
    PAGE,
    page.replace(TABLE, (_, begin, end) => `${begin}${table}\n${end}`),
  );
}
