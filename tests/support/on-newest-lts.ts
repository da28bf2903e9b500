import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fetchNewestLts } from './newest-lts.js';

/** Runs mocha, with the arguments that follow, on Node's newest line with long-term support; whatever the tests start runs on it, too. */
const node = await fetchNewestLts();
if (node === null)
  throw new Error('npm has no line of Node with long-term support for this machine: see above');
try {
  process.stdout.write(`On Node ${node.version}:\n`);
  const child = spawn(node.program, ['node_modules/mocha/bin/mocha.js', ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(node.program)}:${process.env.PATH}` },
  });
  const [status] = await once(child, 'exit');
  process.exitCode = status ?? 1;
} finally {
  await node.remove();
}
