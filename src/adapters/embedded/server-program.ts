import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerUser } from './server-user.js';

export interface ServerProgramOptions {
  readonly cwd: string;
  readonly user: ServerUser | null;
  readonly stdio: StdioOptions;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts one of PostgreSQL's programs, without our environment, where PGDATA and others would change
 * its behaviour. In a session of its own, so that a Ctrl-C in the terminal does not end it before us.
 */
export async function startServerProgram(
  file: string,
  args: readonly string[],
  { cwd, user, stdio, env }: ServerProgramOptions,
): Promise<ChildProcess> {
  const child = spawn(file, args, { cwd, stdio, detached: true, env: { LC_ALL: 'C', ...env }, ...user });
  await once(child, 'spawn');
  return child;
}

/** Runs one of PostgreSQL's programs to its end. The output combines both of its streams. */
export async function runServerProgram(
  file: string,
  args: readonly string[],
  options: Pick<ServerProgramOptions, 'cwd' | 'user'>,
): Promise<{ code: number | null; output: string }> {
  const child = await startServerProgram(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
