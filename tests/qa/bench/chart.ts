import type { Figure } from './figures.js';

/** A bar has the first number that the pattern takes out of a figure's measured value. */
interface Bar {
  readonly label: string;
  readonly figure: RegExp;
  readonly value: RegExp;
}

/** Bars that answer one question. They share a unit, and so a scale. */
interface Panel {
  readonly question: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const RATE = /\(([\d.]+) : [\d.]+ a second/;
const BASELINE_RATE = /\([\d.]+ : ([\d.]+) a second/;
const P99 = /p99 ([\d.]+) ms/;
const TIME = /^([\d.]+) ms/;
const LARGE_TIME = /\(([\d.]+) : [\d.]+ ms/;
const SMALL_TIME = /\([\d.]+ : ([\d.]+) ms/;
const FILL_RATE = /^([\d.]+) blogs\/s/;

const PANELS: readonly Panel[] = [
  {
    question: 'Requests a second, one process (longer is better)',
    unit: '',
    bars: [
      { label: 'this API, from its cache', figure: /^warm HIT of a list.* with Redis, of Koa/, value: RATE },
      {
        label: 'your own Koa, with a constant',
        figure: /^warm HIT of a list.* with Redis, of Koa/,
        value: BASELINE_RATE,
      },
      { label: 'this API, not cached: a search', figure: /^MISS of unique searches/, value: RATE },
      {
        label: 'your own Koa, with the same SQL',
        figure: /^MISS of unique searches/,
        value: BASELINE_RATE,
      },
    ],
  },
  {
    question: 'From a commit in the dashboard, 99 of 100 (shorter is better)',
    unit: ' ms',
    bars: [
      { label: 'an edit is visible', figure: /^commit to visible, nothing else/, value: P99 },
      { label: 'a revoked key is refused', figure: /^commit to 401, nothing else/, value: P99 },
    ],
  },
  {
    question: 'A request that is not cached, by size of the organization (shorter is better)',
    unit: ' ms',
    bars: [
      { label: 'first page of 200 blogs', figure: /^cold first page of all/, value: SMALL_TIME },
      { label: 'first page of 1,000,000', figure: /^cold first page of all/, value: LARGE_TIME },
      { label: 'page in the middle of 1,000,000', figure: /^cold middle page of all, 1000000/, value: TIME },
      {
        label: 'search that finds one of 1,000,000',
        figure: /^cold search that finds one, 1000000/,
        value: TIME,
      },
    ],
  },
  {
    question: 'First fill, blogs a second (longer is better)',
    unit: '',
    bars: [
      { label: 'from PostgreSQL', figure: /^--rebuild .* fills empty read tables/, value: FILL_RATE },
      { label: 'from MariaDB', figure: /^a fill .* from MariaDB/, value: FILL_RATE },
    ],
  },
];

const WIDTH = 800;
const LABELS = 270;
const NUMBERS = 90;
const ROW = 26;
const HEADING = 44;
const LONGEST = WIDTH - LABELS - NUMBERS;

/** What somebody who chooses asks: one bar for each answer that was measured. */
export function chartOf(figures: readonly Figure[]): string {
  const lines: string[] = [];
  let y = 0;
  for (const { question, unit, bars } of PANELS) {
    const values = bars.flatMap((bar) => measuredOf(bar, figures));
    const longest = Math.max(...values.map(({ value }) => value));
    y += HEADING;
    lines.push(`<text x="16" y="${y - 10}" font-weight="bold">${question}</text>`);
    for (const { label, value } of values) {
      const length = Math.max(2, (value / longest) * LONGEST);
      const color = label.startsWith('your own') ? '#9aa5b1' : '#2f6f9f';
      lines.push(
        `<text x="${LABELS - 10}" y="${y + 17}" text-anchor="end">${label}</text>`,
        `<rect x="${LABELS}" y="${y + 4}" width="${length.toFixed(0)}" height="${ROW - 8}" fill="${color}"/>`,
        `<text x="${(LABELS + length + 8).toFixed(0)}" y="${y + 17}">${value.toLocaleString('en')}${unit}</text>`,
      );
      y += ROW;
    }
  }
  const height = y + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="14">
<title>What a request, an edit and a first fill take</title>
<rect width="100%" height="100%" fill="white"/>
${lines.join('\n')}
</svg>
`;
}

/** None if the figure has not been measured. */
function measuredOf({ label, figure, value }: Bar, figures: readonly Figure[]) {
  const measured = figures.find(({ what }) => figure.test(what))?.measured ?? '';
  const [, number] = value.exec(measured) ?? [];
  return number === undefined ? [] : [{ label, value: Number(number) }];
}
