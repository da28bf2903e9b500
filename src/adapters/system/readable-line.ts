import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const LEVELS: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'blue'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'bgRed'],
};

/** JSON as text for people: time, level, message and details; those of several lines below. */
export function readableLine(line: string): string {
  const { level, time, pid, msg, ...details } = JSON.parse(line);
  const [name, style] = LEVELS[level] ?? [String(level), 'gray'];
  const process = pid === undefined ? '' : ` (${pid})`;
  const head = `[${timeOfDay(time)}] ${styleText(style, name)}${process}: ${styleText('cyan', msg)}`;
  const texts = Object.entries(details).map(([detail, value]) => {
    const begin = typeof value === 'object' ? '\n    ' : '  ';
    return `${begin}${styleText('magenta', detail)}: ${readable(value)}`;
  });
  return `${[head, ...texts].join('')}\n`;
}

/** By the machine's clock and time zone, as its user sees it. */
function timeOfDay(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(11, 23);
}

/** Only a stack has line breaks: other texts may come from callers. */
function readable(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  const withStack = json.replace(/(?<="stack": ").*/, (stack) => stack.replaceAll('\\n', '\n'));
  return withStack.replaceAll('\n', '\n    ');
}
