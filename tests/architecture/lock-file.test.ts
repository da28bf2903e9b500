import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

interface LockedPackage {
  readonly integrity?: string;
  /** Without it, npm uses its configured registry. */
  readonly resolved?: string;
  /** A package of this repository. */
  readonly link?: boolean;
}

const REGISTRY = 'https://registry.npmjs.org/';

describe('The lock file', () => {
  let packages: readonly (readonly [folder: string, LockedPackage])[];

  before(async () => {
    const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
      await readFile('package-lock.json', 'utf8'),
    );
    packages = Object.entries(lock.packages).filter(
      ([folder, { link }]) => folder.startsWith('node_modules/') && link !== true,
    );
    expect(packages).not.to.have.length(0);
  });

  const foldersWhere = (isBad: (locked: LockedPackage) => boolean) =>
    packages.filter(([, locked]) => isBad(locked)).map(([folder]) => folder);

  it('pins every package by a SHA-512 hash', () => {
    expect(foldersWhere(({ integrity }) => !integrity?.startsWith('sha512-'))).to.eql([]);
  });

  it('fetches packages only from the public registry', () => {
    expect(foldersWhere(({ resolved }) => resolved !== undefined && !resolved.startsWith(REGISTRY))).to.eql(
      [],
    );
  });
});
