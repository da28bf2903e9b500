import { expect } from 'chai';
import type { ApiKey, KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { Generations } from '../../domain/ports/reading/generations.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { aKey } from '../support/rows.js';
import { TROUBLESOME_TEXTS, TROUBLESOME_TIMES } from '../support/troublesome-values.js';

export interface ApiKeyDirectorySubject {
  readonly subject: ApiKeyDirectory;
  /** Stores these keys in the directory. Each replaces the one with its id. */
  put(...keys: readonly ApiKey[]): Promise<void>;
  remove(...ids: readonly string[]): Promise<void>;
  /** Of the same store: each change of a key raises its organization's generation. */
  readonly generations: Generations;
  /** Advances the clock of the directory, if it has one. */
  elapse(milliseconds: number): void;
}

export function apiKeyDirectoryContract(
  runner: Runner,
  Adapter: AdapterClass<ApiKeyDirectory>,
  makeSubject: () => Promise<ApiKeyDirectorySubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, an API key directory,`, () => {
    let directory: ApiKeyDirectory;
    let put: ApiKeyDirectorySubject['put'];
    let remove: ApiKeyDirectorySubject['remove'];
    let elapse: ApiKeyDirectorySubject['elapse'];
    let generationOf: (organizationId: string) => Promise<number>;

    beforeEach(async () => {
      const given = await makeSubject();
      ({ subject: directory, put, remove, elapse } = given);
      generationOf = (organizationId) => currentGeneration(given.generations, organizationId);
    });

    /** Looks a key up as a caller does that has read the organization's current generation. */
    const findNow = async (hash: string, organizationId: string) =>
      directory.find(hash, await generationOf(organizationId));
    const asKnownNow = async (key: ApiKey): Promise<KnownKey> => ({
      key,
      generation: await generationOf(key.organizationId),
    });

    itIsTestedItself(runner, Adapter, () => directory);

    it('finds a key by its hash', async () => {
      const [key, other] = [newKey(), newKey()];
      await put(key, other);
      for (const storedKey of [key, other])
        expect((await directory.find(storedKey.hash, 0))?.key).to.deep.equal(storedKey);
    });

    it('returns null for a hash that no key has', async () => {
      const key = newKey({ hash: freshId('hash-abc') });
      await put(key);
      const generation = await generationOf(key.organizationId);
      const unknownHashes = [key.hash.toUpperCase(), key.hash.slice(1), `${key.hash} `, key.id, '%'];
      for (const hash of [...unknownHashes, ...TROUBLESOME_TEXTS]) {
        expect(await directory.find(hash, 0), hash).to.equal(null);
        expect(await directory.find(hash, generation), hash).to.equal(null);
      }
    });

    it('finds a key at most 50 ms after its creation, however recently it was looked up in vain', async () => {
      const key = newKey();
      expect(await directory.find(key.hash, 0)).to.equal(null);
      await put(key);
      elapse(50);
      expect(await directory.find(key.hash, 0)).to.deep.equal(await asKnownNow(key));
    });

    it('finds expired and revoked keys too, with their times to the millisecond, infinite ones too', async () => {
      const times = [...TROUBLESOME_TIMES, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      const keys = times.flatMap((time) => [
        newKey({ expiresAt: time }),
        newKey({ revokedAt: time }),
        newKey({ expiresAt: time, revokedAt: time + 1 }),
      ]);
      await put(...keys);
      for (const key of keys) expect((await directory.find(key.hash, 0))?.key).to.deep.equal(key);
    });

    it('returns the generation at which it knew the key: a number, that of its own organization', async () => {
      const [one, other] = [newKey(), newKey()];
      await put(one);
      await put(other);
      await put({ ...other, expiresAt: 1_000 });
      for (const key of [one, { ...other, expiresAt: 1_000 }]) {
        for (const since of [0, await generationOf(key.organizationId)]) {
          expect(await directory.find(key.hash, since)).to.deep.equal(await asKnownNow(key));
        }
      }
    });

    it('shows every change of a key at once to callers that have read the generation that it raised', async () => {
      let key = newKey();
      await put(key);
      for (let changes = 1; changes <= 10; changes++) {
        // The directory may have cached the key before.
        await directory.find(key.hash, 0);
        key = { ...key, revokedAt: changes };
        await put(key);
        expect(await findNow(key.hash, key.organizationId)).to.deep.equal(await asKnownNow(key));
        expect((await directory.find(key.hash, 0))?.key, 'and to all after them').to.deep.equal(key);
      }
    });

    it('never returns a key from before the generation that it reports or the requested one', async () => {
      const key = newKey({ revokedAt: 0 });
      await put(key);
      const generationOfVersion = [await generationOf(key.organizationId)];
      let isOver = false;
      const writing = (async () => {
        for (let version = 1; version < 20; version++) {
          await put({ ...key, revokedAt: version });
          generationOfVersion.push(await generationOf(key.organizationId));
        }
        isOver = true;
      })();
      const seen: { since: number; result: KnownKey | null }[] = [];
      while (!isOver) {
        const since = await generationOf(key.organizationId);
        const callers = [directory.find(key.hash, since), directory.find(key.hash, since)];
        for (const result of await Promise.all(callers)) seen.push({ since, result });
      }
      await writing;
      expect(seen).not.to.deep.equal([]);
      for (const { since, result } of seen) {
        expect(result?.generation).to.be.least(since);
        const due = generationOfVersion.findLastIndex((raised) => raised <= (result?.generation ?? 0));
        expect(result?.key.revokedAt, `under generation ${result?.generation}`).to.be.least(due);
      }
    });

    it('finds what exists for a generation that was never reached', async () => {
      const key = newKey();
      await put(key);
      for (const ahead of [1, 1, 3_600_000_000]) {
        const since = (await generationOf(key.organizationId)) + ahead;
        expect(await directory.find(key.hash, since)).to.deep.equal(await asKnownNow(key));
      }
    });

    it('finds a moved key only under its new organization and hash', async () => {
      const key = newKey();
      const moved = newKey({ id: key.id, organizationId: freshId('org') });
      await put(key);
      await directory.find(key.hash, 0);
      await put(moved);
      expect(await findNow(key.hash, key.organizationId)).to.equal(null);
      expect(await directory.find(moved.hash, 0)).to.deep.equal(await asKnownNow(moved));
    });

    it('finds a key that moved and kept its hash under its new organization, at the generation of that', async () => {
      const key = newKey();
      const moved = { ...key, organizationId: freshId('org') };
      await put(key);
      await directory.find(key.hash, 0);
      await put(moved);
      expect(await findNow(key.hash, key.organizationId)).to.deep.equal(await asKnownNow(moved));
    });

    it('does not find a deleted key', async () => {
      const [gone, kept] = [newKey(), newKey()];
      await put(gone, kept);
      for (const key of [gone, kept]) await directory.find(key.hash, 0);
      await remove(gone.id);
      expect(await findNow(gone.hash, gone.organizationId)).to.equal(null);
      expect(await directory.find(gone.hash, 0), 'nor is it cached').to.equal(null);
      expect(await findNow(kept.hash, kept.organizationId)).to.deep.equal(await asKnownNow(kept));
    });
  });
}

function newKey(given: Partial<ApiKey> = {}): ApiKey {
  return aKey({ id: freshId('key'), organizationId: freshId('org'), hash: freshId('hash'), ...given });
}
