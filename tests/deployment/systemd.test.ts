import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };
import { findProgram } from '../support/find-program.js';
import { skipWithout } from '../support/run-notes.js';
import { SECONDS_TO_FINISH } from './configured.js';
import { directives, UNITS } from './systemd-unit.js';

/** Of 10, in tenths: systemd calls what is below 2 “safe”. */
const HIGHEST_EXPOSURE = 15;
const PROGRAMS = { 'blog-read-api': 'api', 'blog-read-api-sync': 'sync', 'blog-read-api-migrate': 'migrate' };

describe(UNITS, () => {
  it('has no mistake, and is hardened as systemd judges it', async function () {
    const analyze = findProgram('systemd-analyze');
    if (analyze === null) return skipWithout(this, 'systemd-analyze (install systemd)');
    const folder = await mkdtemp(join(tmpdir(), 'units-'));
    const units = await readdir(UNITS);
    expect(units).to.have.members(Object.keys(PROGRAMS).map((name) => `${name}.service`));
    for (const unit of units) {
      const text = await readFile(join(UNITS, unit), 'utf8');
      const here = text
        .replace('/usr/bin/node', process.execPath)
        .replace('WorkingDirectory=/opt/blog-read-api', `WorkingDirectory=${process.cwd()}`);
      await writeFile(join(folder, unit), here);
    }
    const paths = units.map((unit) => join(folder, unit));
    const verified = spawnSync(analyze, ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    const threshold = `--threshold=${HIGHEST_EXPOSURE}`;
    const judged = spawnSync(analyze, ['security', '--offline=yes', '--no-pager', threshold, ...paths], {
      encoding: 'utf8',
    });
    await rm(folder, { recursive: true });
    expect({ status: verified.status, stderr: verified.stderr }).to.eql({ status: 0, stderr: '' });
    expect(judged.status, judged.stdout).to.equal(0);
  });

  it('runs the same as the scripts of package.json, and gives the programs enough time to stop', () => {
    for (const [unit, script] of Object.entries(PROGRAMS)) {
      const [command] = directives(unit, 'ExecStart');
      expect(`exec ${command?.replace('/usr/bin/', '')}`).to.match(
        new RegExp(`^${packageJson.scripts[script as 'api']}( --.*)?$`),
      );
      const [timeout] = directives(unit, 'TimeoutStopSec');
      const drain = /DRAIN_SECONDS=(\d+)/.exec(directives(unit, 'Environment').join(' '))?.[1] ?? 0;
      if (script !== 'migrate') expect(Number(timeout), unit).to.equal(Number(drain) + SECONDS_TO_FINISH);
    }
  });
});
