import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const OPEN_LOG = fileURLToPath(new URL('../../../src/composition/open-log.ts', import.meta.url));

describe('A message that is logged just before the program ends', () => {
  it('is written', () => {
    const program = `
      import { openLog } from '${OPEN_LOG}';
      openLog({ logLevel: 'info', logPretty: false }).error('last words');
      process.exit();`;
    const output = execFileSync(process.execPath, [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      program,
    ]);
    expect(JSON.parse(String(output))).to.include({ msg: 'last words' });
  });
});
