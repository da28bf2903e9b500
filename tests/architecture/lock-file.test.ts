import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

interface LockedPackage {
  readonly integrity?: string;
  /** Without it, npm uses its configured registry. */
  readonly resolved?: string;
  /** A package of this repository. */
  readonly link?: boolean;
}

/** Of the package, and of the image with traces. */
const FILES = ['package-lock.json', 'deploy/tracing/package-lock.json'];
const REGISTRY = 'https://registry.npmjs.org/';

describe('The lock files', () => {
  let packages: readonly (readonly [folder: string, LockedPackage])[];

  before(async () => {
    const locks = await Promise.all(FILES.map(async (file) => JSON.parse(await readFile(file, 'utf8'))));
    packages = locks
      .flatMap((lock: { packages: Record<string, LockedPackage> }) => Object.entries(lock.packages))
      .filter(([folder, { link }]) => folder.startsWith('node_modules/') && link !== true);
    expect(packages).not.to.have.length(0);
  });

  const foldersWhere = (isBad: (locked: LockedPackage) => boolean) =>
    packages.filter(([, locked]) => isBad(locked)).map(([folder]) => folder);

  it('pin every package by a SHA-512 hash', () => {
    expect(foldersWhere(({ integrity }) => !integrity?.startsWith('sha512-'))).to.eql([]);
  });

  it('fetch packages only from the public registry', () => {
    expect(foldersWhere(({ resolved }) => resolved !== undefined && !resolved.startsWith(REGISTRY))).to.eql(
      [],
    );
  });
});
