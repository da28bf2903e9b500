import { once } from 'node:events';
import { type ServerProgramOptions, startServerProgram } from './start-server-program.js';

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
