import { type Figure, tableOf } from './figures.js';
import { costTableOf, sizesOf } from './sizes.js';

type Text = (figures: readonly Figure[]) => string;

/** What stands between `<!-- NAME -->` and `<!-- /NAME -->` in the pages that show figures. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, Text>>>> = {
  'docs/performance.md': { figures: (figures) => `\n${tableOf(figures)}\n` },
  'docs/scaling.md': {
    costs: (figures) => `\n${costTableOf(figures)}\n`,
    sizes: (figures) => `\n${sizesOf(figures)}\n`,
  },
  'README.md': {
    rates: (figures) => `about ${rate(figures, HIT, API)} cached, ${rate(figures, MISS, API)} uncached`,
    peers: (figures) =>
      `about ${rate(figures, STRAPI, API)} (Strapi 5, no key check), ${rate(figures, DIRECTUS, API)} (Directus 12), both cached`,
    baseline: (figures) => `about ${rate(figures, MISS, BASELINE)}`,
    edit: (figures) => delays(figures, 'commit to visible, nothing else going on'),
    revocation: (figures) => delays(figures, 'commit to 401, nothing else going on'),
  },
};

export const PAGES = Object.keys(TEXTS);

const [HIT, MISS] = ['warm HIT of a list of 20: with Redis', 'MISS of unique searches'];
const [STRAPI, DIRECTUS] = ['warm HIT of a list of 20: Strapi', 'warm HIT of a list of 20: Directus'];
const [API, BASELINE] = [/(\d+) : \d+ a second/, /: (\d+) a second/];

/** The page with all texts that follow from the figures. */
export function withFigures(path: string, page: string, figures: readonly Figure[]): string {
  return Object.entries(TEXTS[path] ?? {}).reduce((text, [name, written]) => {
    const marked = new RegExp(`(<!-- ${name} -->)[^]*(<!-- /${name} -->)`);
    if (!marked.test(text)) throw new Error(`${path} lacks the marks of "${name}"`);
    return text.replace(marked, (_, begin, end) => `${begin}${written(figures)}${end}`);
  }, page);
}

/** Two digits: more change from run to run. */
function rate(figures: readonly Figure[], what: string, value: RegExp): string {
  const [, number] = partsOf(figures, what, value);
  return rounded(Number(number));
}

function rounded(number: number): string {
  return Number(number.toPrecision(2)).toLocaleString('en');
}

function delays(figures: readonly Figure[], what: string): string {
  const [, median, p99] = partsOf(figures, what, /p50 (\d+ ms), p99 (\d+ ms)/);
  return `${median} (median), ${p99} (p99)`;
}

function partsOf(figures: readonly Figure[], what: string, value: RegExp): RegExpExecArray {
  const figure = figures.find((candidate) => candidate.what.startsWith(what));
  const parts = value.exec(figure?.measured ?? '');
  if (parts === null) throw new Error(`The pages lack the figure "${what}"`);
  return parts;
}
