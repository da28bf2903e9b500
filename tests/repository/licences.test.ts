import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';

interface LockedPackage {
  readonly license?: string;
  /** The package is only used for development. */
  readonly dev?: boolean;
  /** A package of this repository. */
  readonly link?: boolean;
}

/** They only require that their text is passed on. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];
/** Changed files have to stay open, which does not concern a user who only runs the package during development. */
const FOR_DEVELOPMENT = ['MPL-2.0'];

/** Packages of a lock file whose licence is not accepted yet, with that licence. */
function refusedLicences(packages: Readonly<Record<string, LockedPackage>>): readonly string[] {
  return Object.entries(packages)
    .filter(([folder, { link }]) => folder !== '' && link !== true)
    .flatMap(([folder, { license = licenceIn(folder), dev = false }]) => {
      const allowed = dev ? [...PERMISSIVE, ...FOR_DEVELOPMENT] : PERMISSIVE;
      return isAllowed(license, allowed) ? [] : [`${folder}: ${license}`];
    });
}

/** Supports SPDX expressions as packages use them: `(MIT AND Zlib)`, `MIT OR Apache-2.0`. */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const choices = expression.replaceAll(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((licence) => allowed.includes(licence)));
}

/** The licence of an older package, in which `license` is not a text. */
function licenceIn(folder: string): string {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return 'none';
  const { licenses = [] }: { licenses?: { type: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
  return licenses.map(({ type }) => type).join(' OR ') || 'none';
}

describe('The licences of the packages', () => {
  it('are on the list of accepted ones', async () => {
    const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
      await readFile('package-lock.json', 'utf8'),
    );
    expect(refusedLicences(lock.packages)).to.eql([]);
  });

  it('are refused if one is missing, or demands more', () => {
    const licences = { none: undefined, gpl: 'GPL-3.0-only', both: 'MIT AND GPL-2.0', weak: 'MPL-2.0' };
    const packages = Object.entries(licences).map(([name, license]) => [name, { license }]);
    expect(refusedLicences(Object.fromEntries(packages))).to.eql([
      'none: none',
      'gpl: GPL-3.0-only',
      'both: MIT AND GPL-2.0',
      'weak: MPL-2.0',
    ]);
  });
});
