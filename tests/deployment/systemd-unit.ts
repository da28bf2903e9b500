import { readFileSync } from 'node:fs';
import type { Container } from './containers.js';

export const UNITS = 'deploy/systemd';

/** The values of a directive, in the order of the file. */
export function directives(unit: string, name: string): readonly string[] {
  const lines = readFileSync(`${UNITS}/${unit}.service`, 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
}

/** What a unit runs, with the content of its credentials and of other files by their paths on the machine. */
export function containerOf(unit: string, contents: ReadonlyMap<string, string>): Container {
  const [command = ''] = directives(unit, 'ExecStart');
  const files = [...contents].filter(([path]) => path.endsWith('.yaml'));
  for (const credential of directives(unit, 'LoadCredential')) {
    const [id = '', path = ''] = credential.split(':');
    files.push([`/credentials/${id}`, contents.get(path) ?? '']);
  }
  const environment = directives(unit, 'Environment').flatMap((line) =>
    line.split(' ').map((each) => each.replace('%d', '/credentials').split('=')),
  );
  return {
    args: command.split('dist/bin/blog-read-api.js ')[1]?.split(' ') ?? [],
    environment: Object.fromEntries(environment),
    files: new Map(files),
  };
}
