import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { askOperators } from '../../../support/programs/ask-operators.js';
import { RunningProgram } from '../../../support/programs/program.js';
import { adminAddressOf } from '../../../support/programs/running-programs.js';

const MODULE = `
  const check = { name: 'ours', run: async () => {} };
  export default {
    name: 'ours',
    api(bind) {
      bind('clock', () => ({ now: () => Date.now() }));
      const mark = (context, next) => {
        context.set('X-Ours', 'yes');
        return next();
      };
      return { healthChecks: [check], middleware: [mark] };
    },
    worker(bind) {
      bind('metrics', () => ({ count() {} }));
      return { healthChecks: [check] };
    },
  };`;

describe('npm start with EXTENSIONS', () => {
  let folder: string;
  let program: RunningProgram | null = null;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-start-'));
    await chmod(folder, 0o700);
    await writeFile(join(folder, 'ours.mjs'), MODULE);
  });

  after(async () => {
    await program?.end('SIGTERM');
    await rm(folder, { recursive: true });
  });

  it('uses what they bind in both programs, and reports it', async () => {
    program = new RunningProgram(
      ['embedded'],
      { PORT: '0', ADMIN_PORT: '0', EXTENSIONS: './ours.mjs' },
      folder,
    );
    const [line, adminAddress] = await Promise.all([program.printed(/(curl .*)\n/), adminAddressOf(program)]);
    const [, key = '', url = ''] = /-H 'X-API-Key: (\S+)' '(\S+)'/.exec(line) ?? [];
    const { status, headers } = await fetch(url, { headers: { 'X-API-Key': key } });
    expect(status).to.equal(200);
    expect(headers.get('X-Ours')).to.equal('yes');
    const { replaced, checks } = JSON.parse((await askOperators(adminAddress, '/readyz')).text);
    expect(replaced).to.deep.equal({ Clock: 'ours', Metrics: 'ours' });
    expect(checks).to.deep.include({ ours: { status: 'ok' } });
  });
});
