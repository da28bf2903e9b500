import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { type LockedPackage, refusedLicences } from './licences.js';

describe('The licences of the packages', () => {
  it('are on the list of accepted ones', async () => {
    const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
      await readFile('package-lock.json', 'utf8'),
    );
    expect(refusedLicences(lock.packages)).to.eql([]);
  });

  for (const license of [
    'GPL-3.0-only',
    'AGPL-3.0',
    'SEE LICENSE IN LICENSE',
    'MIT AND GPL-2.0',
    'MPL-2.0',
  ]) {
    it(`are refused if one is ${license}`, () => {
      expect(refusedLicences({ 'node_modules/planted': { license } })).to.eql([
        `node_modules/planted: ${license}`,
      ]);
    });
  }

  it('are refused if one is missing', () => {
    expect(refusedLicences({ 'node_modules/planted': {} })).to.eql(['node_modules/planted: none']);
  });

  it('may include weak copyleft for development, and a choice with an accepted one', () => {
    expect(
      refusedLicences({
        'node_modules/a': { license: 'MPL-2.0', dev: true },
        'node_modules/b': { license: '(GPL-2.0 OR MIT)' },
      }),
    ).to.eql([]);
  });
});
