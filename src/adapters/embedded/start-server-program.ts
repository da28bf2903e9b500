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
 * Starts one of PostgreSQL's programs. It does not inherit our environment (PGDATA, PGPORT … would change its behaviour). It gets its own
 * session: a Ctrl-C in the terminal goes to every process of the foreground group, and would end the server before the program that uses
 * it.
 */
export async function startServerProgram(
  file: string,
  args: readonly string[],
  options: ServerProgramOptions,
): Promise<ChildProcess> {
  const { cwd, user, stdio, env } = options;
  const child = spawn(file, args, { cwd, stdio, detached: true, env: { LC_ALL: 'C', ...env }, ...user });
  await once(child, 'spawn');
  return child;
}
