import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { type FetchedNode, fetchNewestLts, fetchNode, NODE_LINES } from './fetch-node.js';

/**
 * Runs the tests of programs, of HTTP and of ports on other Node lines. Everything that the tests start runs on the
 * same line. `lts` is the newest line with long-term support, `all` is every supported line; lines can also be named.
 * With `--if-available`, a line that cannot be fetched is left out and reported.
 */
const [which = '', ...flags] = process.argv.slice(2);
const isOptional = flags.includes('--if-available');
const TESTS = [
  ...['--parallel', '--jobs', '3', '--require', 'tests/support/shared-postgres.ts'],
  'tests/{contracts,http,programs}/**/*.test.ts',
];

const fetches =
  which === 'lts'
    ? [fetchNewestLts]
    : (which === 'all' ? NODE_LINES : which.split(',')).map((line) => () => fetchNode(line));
for (const fetch of fetches) {
  const node = await fetch().catch((error: Error) => {
    process.stdout.write(`${error.message}\n`);
    return null;
  });
  if (node !== null) await runOn(node);
  else if (isOptional)
    process.stdout.write(`\nLEFT OUT: the tests on Node (${which}), which npm cannot install here\n`);
  else throw new Error(`npm cannot install Node (${which}) here: see above`);
}

async function runOn(node: FetchedNode): Promise<void> {
  try {
    process.stdout.write(`On Node ${node.version}:\n`);
    const child = spawn(node.program, ['node_modules/mocha/bin/mocha.js', ...TESTS], {
      stdio: 'inherit',
      env: { ...process.env, PATH: `${dirname(node.program)}:${process.env.PATH}` },
    });
    const [status] = await once(child, 'exit');
    if (status !== 0) process.exitCode = status ?? 1;
  } finally {
    await node.remove();
  }
}
