import type { Figure } from './figures.js';

/** A bar has the first number that `value` takes out of the figure whose name begins with `figure`. */
interface Bar {
  readonly label: string;
  readonly figure: string;
  readonly value: RegExp;
}

/** The bars that answer one question: they share a unit, and so a scale. */
interface Panel {
  readonly question: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const [HIT, MISS] = ['warm HIT of a list of 20: with Redis', 'MISS of unique searches'];
const [RATE, BASELINE_RATE] = [/(\d+) : \d+ a second/, /: (\d+) a second/];
const BEFORE_COLON = /\(([\d.]+) :/;
const P99 = /p99 ([\d.]+)/;
const ONLY = /^([\d.]+)/;

const PANELS: readonly Panel[] = [
  {
    question: 'Requests a second, one process (longer is better)',
    unit: '',
    bars: [
      { label: 'this API, from its cache', figure: HIT, value: RATE },
      { label: 'your own Koa, with a constant', figure: HIT, value: BASELINE_RATE },
      { label: 'Strapi 5, from its cache', figure: 'warm HIT of a list of 20: Strapi', value: RATE },
      {
        label: 'Directus 12, from its cache',
        figure: 'warm HIT of a list of 20: Directus',
        value: RATE,
      },
      { label: 'this API, a search that is not cached', figure: MISS, value: RATE },
      { label: 'your own Koa, with the same SQL', figure: MISS, value: BASELINE_RATE },
    ],
  },
  {
    question: 'From a commit in the dashboard, 99 of 100 (shorter is better)',
    unit: ' ms',
    bars: [
      { label: 'an edit is visible', figure: 'commit to visible, nothing else', value: P99 },
      { label: 'a revoked key is refused', figure: 'commit to 401, nothing else', value: P99 },
    ],
  },
  {
    question: 'A request that is not cached (shorter is better)',
    unit: ' ms',
    bars: [
      { label: 'first or last page of 200 blogs', figure: 'cold first or last page', value: /: ([\d.]+) ms/ },
      { label: 'first or last page of 200,000', figure: 'cold first or last page', value: BEFORE_COLON },
      { label: 'page in the middle of 200,000', figure: 'cold middle page of all', value: ONLY },
      { label: 'search that finds one of 200,000', figure: 'cold search that finds one', value: ONLY },
    ],
  },
  {
    question: 'First fill, blogs a second (longer is better)',
    unit: '',
    bars: [
      { label: 'from PostgreSQL', figure: '--rebuild of 50000 blogs fills', value: ONLY },
      { label: 'from MariaDB', figure: 'a fill with 100000 blogs from MariaDB', value: ONLY },
    ],
  },
];

const [WIDTH, LABELS, NUMBERS, ROW, HEADING] = [800, 280, 90, 26, 44];
const LONGEST = WIDTH - LABELS - NUMBERS;

/** What somebody who chooses asks, as SVG: one bar for each answer. */
export function chartOf(figures: readonly Figure[]): string {
  const lines: string[] = [];
  let y = 0;
  for (const { question, unit, bars } of PANELS) {
    const values = bars.map((bar) => ({ ...bar, number: numberOf(bar, figures) }));
    const largest = Math.max(...values.map(({ number }) => number));
    y += HEADING;
    lines.push(`<text x="16" y="${y - 10}" font-weight="bold">${question}</text>`);
    for (const { label, number } of values) {
      const length = Math.max(2, Math.round((number / largest) * LONGEST));
      const color = /^(?:your own|Strapi|Directus)/.test(label) ? '#9aa5b1' : '#2f6f9f';
      lines.push(
        `<text x="${LABELS - 10}" y="${y + 17}" text-anchor="end">${label}</text>`,
        `<rect x="${LABELS}" y="${y + 4}" width="${length}" height="${ROW - 8}" fill="${color}"/>`,
        `<text x="${LABELS + length + 8}" y="${y + 17}">${number.toLocaleString('en')}${unit}</text>`,
      );
      y += ROW;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 12}" font-family="sans-serif" font-size="14">
<title>What a request, an edit and a first fill take</title>
<rect width="100%" height="100%" fill="white"/>
${lines.join('\n')}
</svg>
`;
}

function numberOf({ figure, value }: Bar, figures: readonly Figure[]): number {
  const measured = figures.find(({ what }) => what.startsWith(figure))?.measured ?? '';
  const number = value.exec(measured)?.[1];
  if (number === undefined) throw new Error(`The chart lacks the figure "${figure}"`);
  return Number(number);
}
