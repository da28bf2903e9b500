import { fileURLToPath } from 'node:url';
import packageJson from '../../../package.json' with { type: 'json' };
import { RunningProcess } from './running-process.js';

export const BINARY = fileURLToPath(new URL('../../../dist/bin/blog-read-api.js', import.meta.url));
/** A program under test has only the variables that the test sets. */
const BARE_ENVIRONMENT = { PATH: process.env.PATH, LOG_PRETTY: 'false' };

const SCRIPTS: Readonly<Record<string, string>> = packageJson.scripts;

/** A run of the real binary, with the flags for Node of the script with that name. */
export class RunningProgram extends RunningProcess {
  constructor(args: readonly string[], environment: Record<string, string> = {}, cwd = process.cwd()) {
    const flags = SCRIPTS[args[0] ?? '']?.match(/--\S+/g) ?? [];
    super(process.execPath, [...flags, BINARY, ...args], { ...BARE_ENVIRONMENT, ...environment }, cwd);
  }
}

/** Runs a command to its end. */
export async function runProgram(args: readonly string[], environment: Record<string, string> = {}) {
  const program = new RunningProgram(args, environment);
  const code = await program.exitCode();
  return { code, output: program.output };
}
