import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { RunningProcess } from '../../support/programs/running-process.js';

const OPEN_LOG = fileURLToPath(new URL('../../../src/adapters/system/pino-log.ts', import.meta.url));
/** About 12 MB, of which an output that takes nothing leaves room for 4. */
const LINES = 6_000;

const BEGIN = `
  import { openLog } from '${OPEN_LOG}';
  const log = openLog({ logLevel: 'info', logPretty: false });`;
const PROGRAM = `${BEGIN}
  const filling = 'x'.repeat(2000);
  for (let line = 0; line < ${LINES}; line++) log.info('a line', { filling });
  process.stderr.write('All is logged.\\n');
  setInterval(() => log.info('a later line'), 100);`;

describe('A log whose reader has stopped', () => {
  it('keeps lines up to a bound, and reports how many were lost', async () => {
    const program = run(PROGRAM);
    try {
      program.leaveOutput();
      await program.printed(/All is logged/);
      program.readOutput();
      await program.printed(/log lines were lost/);
    } finally {
      await program.end('SIGKILL');
    }
    const lines = program.output.match(/^\{.*\}$/gm)?.map((line) => JSON.parse(line)) ?? [];
    const kept = lines.filter(({ msg }) => msg === 'a line').length;
    expect(kept * 2_000).to.be.within(3.5 * 2 ** 20, 4.5 * 2 ** 20);
    expect(lines[kept]).to.include({ msg: 'a later line' });
    expect(lines[kept + 1]?.lines).to.be.at.least(LINES - kept);
  });
});

describe('A message that is logged just before the program ends', () => {
  it('is written', async () => {
    const program = run(`${BEGIN} log.error('last words'); process.exit();`);
    expect(await program.exitCode()).to.equal(0);
    expect(JSON.parse(program.output)).to.include({ msg: 'last words' });
  });
});

function run(program: string): RunningProcess {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  return new RunningProcess(process.execPath, args, process.env, process.cwd());
}
