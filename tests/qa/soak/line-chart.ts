import type { VitalSigns } from './vital-signs.js';

const [WIDTH, HEIGHT, MARGIN, LEGEND] = [900, 360, 50, 230];
const COLORS = ['#1f5fa8', '#b3392f', '#3a7d44', '#8a5a00', '#6b3fa0', '#555555'];

/** All signs over time, on one axis. */
export function lineChart(samples: readonly VitalSigns[], minutes: number): string {
  const names = Object.keys(samples[0] ?? {});
  const highest = Math.max(...samples.flatMap((signs) => Object.values(signs)));
  const x = (n: number) => MARGIN + (n / Math.max(1, samples.length - 1)) * (WIDTH - LEGEND - MARGIN);
  const y = (value: number) => HEIGHT - MARGIN - (value / highest) * (HEIGHT - 2 * MARGIN);
  const lines = names.map((name, line) => {
    const points = samples.map((signs, n) => `${x(n).toFixed(1)},${y(signs[name] ?? 0).toFixed(1)}`);
    const color = COLORS[line % COLORS.length];
    return `<polyline fill="none" stroke="${color}" points="${points.join(' ')}"/>
<text x="${WIDTH - LEGEND + 15}" y="${MARGIN + line * 18}" fill="${color}">${name}: ${samples.at(-1)?.[name]?.toFixed(0)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">
<title>Memory, handles and connections over time</title>
<rect width="100%" height="100%" fill="white"/>
<path d="M${MARGIN} ${MARGIN} V${HEIGHT - MARGIN} H${WIDTH - LEGEND}" fill="none" stroke="black"/>
<text x="${MARGIN - 6}" y="${y(highest) + 4}" text-anchor="end">${highest.toFixed(0)}</text>
<text x="${MARGIN - 6}" y="${y(0) + 4}" text-anchor="end">0</text>
<text x="${WIDTH - LEGEND}" y="${HEIGHT - MARGIN + 18}" text-anchor="end">${minutes} minutes</text>
${lines.join('\n')}
</svg>
`;
}
