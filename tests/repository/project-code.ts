import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { USAGE } from '../../src/adapters/cli/command-line.js';
import { EVENTS, GAUGES, REQUESTS } from '../../src/adapters/operations/metric-names.js';

const FOLDERS = ['src', 'tests', 'db', 'deploy', 'docs', '.ci', '.devcontainer', '.githooks', '.github'];
/** They have names that are wrong on purpose. */
const PLANTED = ['tests/architecture/violations/', 'tests/repository/'];

const files: readonly string[] = [
  ...readdirSync('.').filter((name) => statSync(name).isFile()),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => !file.includes('node_modules'))
      .map((file) => posix.join(folder, file)),
  ).filter((file) => statSync(file).isFile()),
];
const sources = files.filter(
  (file) =>
    /\.(?:[cm]?[jt]s|sql|ya?ml|json|ini)$|Dockerfile$|^\.ci\/|\.env\.example$/.test(file) &&
    file !== 'package-lock.json' &&
    !PLANTED.some((folder) => file.startsWith(folder)),
);

/** What is left of a file of TypeScript without its comments: a name in a comment proves nothing. */
function codeOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  return file.endsWith('.ts') ? text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '') : text;
}

const code = sources.map(codeOf).join('\n');
const words = new Set(code.match(/\w+/g));
const manifests = sources
  .filter((file) => file.startsWith('deploy/'))
  .map(codeOf)
  .join('\n');
const DECLARATION = /\b(?:class|interface|type|function|const|enum) (\w+)/g;
const declared = new Set([...code.matchAll(DECLARATION)].map(([, name = '']) => name));
const metrics = new Set(
  [EVENTS, REQUESTS, GAUGES].flatMap((group) => Object.values(group)).map(({ name }) => name),
);
const alerts = new Set(
  (
    parse(readFileSync('docs/operations/alerts.yml', 'utf8')) as { groups: { rules: { alert: string }[] }[] }
  ).groups
    .flatMap(({ rules }) => rules)
    .map(({ alert }) => alert),
);

/** What pages can name, as it is in the code. */
export const projectCode = {
  pages: files.filter((file) => file.endsWith('.md') && !file.startsWith('.github/')),
  sources,

  hasFile: (path: string): boolean =>
    existsSync(path) || ['.test.ts', '.ts'].some((end) => existsSync(path + end)),
  /** The end of a path, such as `connection/cluster-nodes.test.ts`. */
  hasFileThatEndsWith: (end: string): boolean =>
    files.some((file) => [end, `${end}.test.ts`].some((name) => `/${file}`.endsWith(`/${name}`))),
  hasDeclaration: (name: string): boolean => declared.has(name),
  hasWord: (word: string): boolean => words.has(word),
  hasWordInManifests: (word: string): boolean => new RegExp(`\\b${word}\\b`).test(manifests),
  hasMetric: (name: string): boolean => metrics.has(name),
  hasAlert: (name: string): boolean => alerts.has(name),
  hasScript: (name: string): boolean => Object.hasOwn(packageJson.scripts, name),
  hasCommand: (name: string): boolean => new RegExp(`^  ${name}\\b`, 'm').test(USAGE),
  hasFlag: (command: string, flag: string): boolean => flagsOf(command).includes(flag),
  hasFlagOfAnyCommand: (flag: string): boolean =>
    [USAGE, ...Object.values(packageJson.scripts), QA.map(qaOptions).join(' ')].some((text) =>
      new RegExp(`${flag}(?![\\w-])`).test(text),
    ),
};

const QA = ['bench', 'soak', 'chaos'];

/** Those of the command line are in its usage. */
function flagsOf(command: string): readonly string[] {
  const lines = USAGE.split('\n').filter((line) => line.startsWith(`  ${command} `));
  const text = QA.includes(command) ? qaOptions(command) : lines.join('\n');
  return text.match(/--[a-z-]+/g) ?? [];
}

function qaOptions(program: string): string {
  const folder = join('tests/tools', program);
  const text = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  return [...text.matchAll(/(\w+): \{ type: '(?:string|boolean)'/g)].map(([, name]) => `--${name}`).join(' ');
}
