import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { projectCode } from './project-code.js';

export interface WrongName {
  readonly sort: string;
  readonly name: string;
}

/** Finds the names of one sort in a page, and says which are not in the code. */
interface Sort {
  readonly sort: string;
  readonly namesIn: (page: Page) => readonly string[];
  readonly exists: (name: string, page: Page) => boolean;
}

interface Page {
  readonly file: string;
  readonly text: string;
  /** What stands between backticks. */
  readonly spans: readonly string[];
  /** The spans and the lines of the blocks that can be commands. */
  readonly commands: readonly string[];
}

const FENCE = /^ *```(\w*)\n([\s\S]*?)^ *```/gm;
const PATH = /^(?:src|tests|db|deploy|docs|\.ci|\.devcontainer)\/\S+$/;
const FILE = /^[\w.-][\w./-]*\.(?:ts|mjs|sql|ya?ml|json|ini|md)$/;
/** From here on, a name stands for several files. */
const SEVERAL = /[^/]*[*{<…].*$/;
const LINE = /:\d+$/;

/** Names of others, by whose they are. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  Node: ['reusePort', 'SCHED_RR', 'SCHED_NONE', 'NODE_CLUSTER_SCHED_POLICY', '--import'],
  Docker: ['--read-only', '--cap-drop', '--volume', '--env', '--stop-timeout', '--volumes'],
  'databases and their tools': ['DateStyle', 'LC_CTYPE', 'AUTO_INCREMENT', '--skip-triggers'],
  OpenTelemetry: ['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
  'prom-client': ['AggregatorRegistry'],
  'the draft of a header': ['RateLimit'],
  curl: ['--etag-save', '--etag-compare'],
  'an example': ['OTHER_KEY', '--website'],
};

const SORTS: readonly Sort[] = [
  {
    sort: 'path',
    namesIn: ({ spans }) => spans.filter((span) => PATH.test(span)),
    exists: (path, page) => isPath(path.replace(SEVERAL, '').replace(LINE, ''), page),
  },
  {
    sort: 'file',
    namesIn: ({ spans }) => spans.filter((span) => FILE.test(span) && !PATH.test(span)),
    exists: (name, page) => projectCode.hasFileThatEndsWith(name) || isPath(name, page),
  },
  {
    sort: 'link',
    namesIn: ({ text }) => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    exists: (target, page) => isLink(target, page),
  },
  {
    sort: 'test of an ADR',
    namesIn: ({ file, text }) =>
      file.startsWith('docs/adr/') ? spansOf(text.split('\n## Enforced by\n')[1] ?? '') : [],
    exists: (name) =>
      name.includes(' ') ||
      PATH.test(name) ||
      projectCode.hasFileThatEndsWith(name) ||
      projectCode.hasFile(`tests/qa/faults/${name}`) ||
      isRule(name),
  },
  {
    sort: 'type',
    namesIn: ({ spans }) => matches(spans, /^([A-Z][a-z0-9]+(?:[A-Z]\w*)+)(?:\.\w+)?$/),
    exists: (name) => projectCode.hasDeclaration(name),
  },
  {
    sort: 'function or field',
    namesIn: ({ spans }) => matches(spans, /^(?:\w+\.)?([a-z][a-z0-9]*[A-Z]\w*)(?:\(\))?$/),
    exists: (name, { file }) =>
      file === 'docs/kubernetes.md' ? projectCode.hasWordInManifests(name) : projectCode.hasWord(name),
  },
  {
    sort: 'term in the code',
    namesIn: ({ file, text }) =>
      file === 'docs/glossary.md' ? spansOf(matches(text.split('\n'), /([^|]*)\|$/).join('\n')) : [],
    exists: (name) => projectCode.hasWord(name),
  },
  {
    sort: 'variable',
    namesIn: ({ spans, commands }) =>
      [...spans, ...commands].flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []),
    exists: (name) => projectCode.hasWord(name.replace(/_FILE$/, '')),
  },
  {
    sort: 'metric',
    namesIn: ({ text }) => text.match(/\bblog_(?:read|sync)_\w+/g) ?? [],
    exists: (name) => projectCode.hasMetric(name),
  },
  {
    sort: 'alert',
    namesIn: ({ text }) => text.match(/\bBlog(?:ReadApi|Sync)[A-Z]\w+/g) ?? [],
    exists: (name) => projectCode.hasAlert(name),
  },
  {
    sort: 'table',
    namesIn: ({ text }) => text.match(/\bcontent_(?:read|sync|keys)\.\w+/g) ?? [],
    exists: (name) => projectCode.hasWord(name.split('.')[1] ?? ''),
  },
  {
    sort: 'script',
    namesIn: ({ text }) => [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name),
    exists: (name) => projectCode.hasScript(name),
  },
  {
    sort: 'command',
    namesIn: ({ text }) =>
      [...text.matchAll(/(?<!-n |SETUSER )\bblog-read-api(?:\.js)? ([a-z:]+)(?=[ `\n])/g)].map(
        ([, name = '']) => name,
      ),
    exists: (name) => projectCode.hasCommand(name),
  },
  {
    sort: 'flag',
    namesIn: ({ spans, commands }) => [...spans.flatMap(aloneFlags), ...commands.flatMap(flagsWithCommand)],
    exists: (name) => {
      const [command = '', flag] = name.split(' ');
      return flag === undefined
        ? projectCode.hasFlagOfAnyCommand(command)
        : projectCode.hasFlag(command, flag);
    },
  },
  {
    sort: 'ADR',
    namesIn: ({ text }) => [...text.matchAll(/\bADRs?\s+(\d+)/g)].map(([, number = '']) => number),
    exists: (number) =>
      projectCode.pages.some((page) => page.startsWith(`docs/adr/${number.padStart(4, '0')}-`)),
  },
];

export const FOREIGN_NAMES = Object.values(FOREIGN).flat();

/** The names in a page that the code does not have. */
export function wrongNames(file: string, text: string): readonly WrongName[] {
  const page = pageOf(file, text);
  return SORTS.flatMap(({ sort, namesIn, exists }) =>
    [...new Set(namesIn(page))]
      .filter((name) => !FOREIGN_NAMES.includes(name) && !exists(name, page))
      .map((name) => ({ sort, name })),
  );
}

export function namesIn(file: string, text: string): readonly string[] {
  const page = pageOf(file, text);
  return SORTS.flatMap((sort) => sort.namesIn(page));
}

function pageOf(file: string, text: string): Page {
  const blocks = [...text.matchAll(FENCE)].filter(([, language]) => language === 'sh' || language === '');
  const lines = blocks.flatMap(([, , block = '']) => block.split('\n'));
  const spans = spansOf(text);
  return { file, text, spans, commands: [...spans, ...lines] };
}

function spansOf(text: string): readonly string[] {
  return [...text.replaceAll(FENCE, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) =>
    span.replaceAll(/\s+/g, ' '),
  );
}

function matches(texts: readonly string[], pattern: RegExp): readonly string[] {
  return texts.flatMap((text) => pattern.exec(text)?.[1] ?? []);
}

function isPath(path: string, { file }: Page): boolean {
  return projectCode.hasFile(path) || projectCode.hasFile(posix.join(posix.dirname(file), path));
}

function isLink(target: string, page: Page): boolean {
  if (/^[a-z]+:/.test(target)) return true;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page.file : posix.join(posix.dirname(page.file), path);
  if (!existsSync(file)) return false;
  const text = file === page.file ? page.text : anchor === undefined ? '' : readFileSync(file, 'utf8');
  return anchor === undefined || anchorsOf(text).includes(anchor);
}

/** As GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  return [...text.replaceAll(FENCE, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isRule(name: string): boolean {
  return existsSync(`tests/architecture/violations/${name}`);
}

function aloneFlags(span: string): readonly string[] {
  return span.startsWith('--') ? (span.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []) : [];
}

/** `npm run sync -- --once` and `sync --once` give `sync --once`. */
function flagsWithCommand(line: string): readonly string[] {
  const [, command = '', rest = ''] =
    /^(?:npm run (?:-s )?|.*blog-read-api(?:\.js)? )?([a-z:]+) (.*)$/.exec(line.split('#')[0] ?? '') ?? [];
  if (!projectCode.hasCommand(command) && !['bench', 'soak', 'chaos'].includes(command)) return [];
  return (rest.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []).map((flag) => `${command} ${flag}`);
}
