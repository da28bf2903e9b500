/** The parts of a file written by V8 with `--cpu-prof` that are used here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  /** The node of each sample, and the microseconds since the previous sample. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

type Frame = CpuProfile['nodes'][number]['callFrame'];

/** A frame belongs to the first group that fits. */
const GROUPS: readonly (readonly [group: string, fits: (frame: Frame) => boolean])[] = [
  ['writing to the socket', ({ functionName }) => ['writev', 'writeBuffer'].includes(functionName)],
  [
    'writing the log to standard output',
    ({ functionName, url }) => functionName === 'writeString' && url === '',
  ],
  ['collecting garbage', ({ functionName }) => functionName === '(garbage collector)'],
  [
    'Koa, its router and their packages',
    from(
      'koa',
      'router',
      'delegates',
      'on-finished',
      'ee-first',
      'accepts',
      'negotiator',
      'mime',
      'statuses',
      'vary',
      'parseurl',
    ),
  ],
  ['ioredis', from('ioredis')],
  ['knex and pg', from('knex', 'pg', 'tarn')],
  ['pino and prom-client', from('pino', 'sonic-boom', 'quick-format', 'safe-stable', 'prom-client')],
  ['lru-cache', from('lru-cache')],
  ["Node's http, streams and timers", ({ url }) => url.startsWith('node:')],
  ['our own code', ({ url }) => url.includes('/dist/') || url.includes('/tests/qa/bench/')],
];
const REST = 'the engine: microtasks, regular expressions, what has no name';

function from(...packages: readonly string[]): (frame: Frame) => boolean {
  const names = new RegExp(`/node_modules/@?(?:${packages.join('|')})`);
  return ({ url }) => names.test(url);
}

/** The microseconds of the last seconds of a profile, by group. */
export function timeByGroup(
  { nodes, samples, timeDeltas }: CpuProfile,
  seconds: number,
): ReadonlyMap<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map([...GROUPS.map(([group]) => group), REST].map((group) => [group, 0]));
  let left = seconds * 1_000_000;
  for (let at = samples.length - 1; at >= 0 && left > 0; at--) {
    const [frame, time] = [frames.get(samples[at] ?? 0), timeDeltas[at] ?? 0];
    left -= time;
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const group = GROUPS.find(([, fits]) => fits(frame))?.[0] ?? REST;
    times.set(group, (times.get(group) ?? 0) + time);
  }
  return times;
}
