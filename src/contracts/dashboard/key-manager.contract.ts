import { expect } from 'chai';
import { UnknownInDashboard } from '../../domain/errors.js';
import type { KeyManager } from '../../domain/ports/dashboard/key-manager.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';

export interface KeyManagerSubject {
  readonly subject: KeyManager;
  /** Two organizations without keys. */
  readonly organizationIds: readonly [string, string];
}

const FUTURE = new Date('2100-01-01T00:00:00.123Z');

export function keyManagerContract(
  runner: Runner,
  Adapter: AdapterClass<KeyManager>,
  makeSubject: () => Promise<KeyManagerSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a manager of keys,`, () => {
    let keys: KeyManager;
    let organizationId: string;
    let otherId: string;

    beforeEach(async () => {
      ({
        subject: keys,
        organizationIds: [organizationId, otherId],
      } = await makeSubject());
    });

    const messageOf = async (attempt: Promise<unknown>) => {
      const error = await attempt.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(UnknownInDashboard);
      return (error as Error).message;
    };

    itIsTestedItself(runner, Adapter, () => keys);

    it('lists the created keys, the oldest first, and none of another organization', async () => {
      expect(await keys.list(organizationId)).to.deep.equal([]);
      const first = await keys.create(organizationId, "Site d'accueil", FUTURE);
      const second = await keys.create(organizationId, '', null);
      await keys.create(otherId, '', null);

      const listed = await keys.list(organizationId);
      expect(listed.map(({ createdAt: _, ...key }) => key)).to.deep.equal([
        {
          id: first.id,
          name: "Site d'accueil",
          prefix: first.key.slice(0, 8),
          expiresAt: FUTURE,
          revokedAt: null,
        },
        { id: second.id, name: '', prefix: second.key.slice(0, 8), expiresAt: null, revokedAt: null },
      ]);
      for (const { createdAt } of listed) expect(createdAt).to.be.instanceOf(Date);
    });

    it('creates a different key and id each time, and lists no key', async () => {
      const [one, other] = [
        await keys.create(organizationId, '', null),
        await keys.create(organizationId, '', null),
      ];
      expect(one.id).not.to.equal(other.id);
      expect(one.key).not.to.equal(other.key);
      expect(JSON.stringify(await keys.list(organizationId))).not.to.include(one.key);
    });

    it('revokes one key, and keeps the first time if it is revoked twice', async () => {
      const [one, other] = [
        await keys.create(organizationId, '', null),
        await keys.create(organizationId, '', null),
      ];
      await keys.revoke(one.id);
      const revoked = await keys.list(organizationId);
      await keys.revoke(one.id);

      expect(revoked.find(({ id }) => id === one.id)?.revokedAt).to.be.instanceOf(Date);
      expect(revoked.find(({ id }) => id === other.id)?.revokedAt).to.equal(null);
      expect(await keys.list(organizationId)).to.deep.equal(revoked);
    });

    it('reports an unknown key or organization', async () => {
      const noOrganization = 'There is no organization "org_x" in the dashboard\'s database.';
      expect(await messageOf(keys.create('org_x', '', null))).to.equal(noOrganization);
      expect(await messageOf(keys.list('org_x'))).to.equal(noOrganization);
      expect(await messageOf(keys.revoke('key_x'))).to.equal(
        'There is no key "key_x" in the dashboard\'s database.',
      );
    });
  });
}
