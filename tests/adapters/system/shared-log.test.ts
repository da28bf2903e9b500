import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const OPEN_LOG = fileURLToPath(new URL('../../../src/adapters/system/pino-log.ts', import.meta.url));
const TURNS = 200;
const LINES_OF_A_TURN = 50;
/** A pipe to a reader that is slower than the writers, as between a container and a log collector. */
const TWO_AT_ONCE = '("$@" & "$@"; wait) | (sleep 0.2; cat)';

describe('A log that two processes write to', () => {
  it('contains whole lines only, each with the process that wrote it', async () => {
    const program = `
      import { openLog } from '${OPEN_LOG}';
      const log = openLog({ logLevel: 'info', logPretty: false, isLogShared: true });
      const filling = 'x'.repeat(150);
      for (let turn = 0; turn < ${TURNS}; turn++) {
        for (let line = 0; line < ${LINES_OF_A_TURN}; line++) log.info('a line', { filling });
        await new Promise(setImmediate);
      }`;
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)('sh', ['-c', TWO_AT_ONCE, 'sh', ...node], {
      maxBuffer: 2 ** 26,
    });
    const lines = stdout.trim().split('\n');
    const pids = new Map<number, number>();
    for (const line of lines) {
      const { pid } = JSON.parse(line);
      pids.set(pid, (pids.get(pid) ?? 0) + 1);
    }
    expect([...pids.values()]).to.deep.equal(Array(2).fill(TURNS * LINES_OF_A_TURN));
  });
});
