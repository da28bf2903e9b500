import type { Figure } from './figures.js';

const WIDTH = 900;
const LABELS = 430;
const ROW = 26;
const TOP = 40;
/** A promise that is exceeded this many times fills the chart. */
const WIDEST = 3;

/** How many times each promise is exceeded. The line marks the promise. */
export function chartOf(figures: readonly Figure[]): string {
  const height = TOP + figures.length * ROW + 10;
  const x = (times: number) => LABELS + (Math.min(times, WIDEST) / WIDEST) * (WIDTH - LABELS - 10);
  const bars = figures.map(({ what, measured, kept }, row) => {
    const y = TOP + row * ROW;
    const color = kept >= 1 ? '#3a7d44' : '#b3392f';
    return [
      `<text x="${LABELS - 8}" y="${y + 15}" text-anchor="end">${escaped(what)}</text>`,
      `<rect x="${LABELS}" y="${y + 3}" width="${(x(kept) - LABELS).toFixed(0)}" height="${ROW - 8}" fill="${color}" opacity="0.8"/>`,
      `<text x="${LABELS + 6}" y="${y + 15}">${escaped(measured)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">
<title>How many times over each promise is kept</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${x(1)}" y="${TOP - 14}" text-anchor="middle">promised</text>
${bars.join('\n')}
<line x1="${x(1)}" y1="${TOP - 8}" x2="${x(1)}" y2="${height - 6}" stroke="black" stroke-dasharray="4 3"/>
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('`', '').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
