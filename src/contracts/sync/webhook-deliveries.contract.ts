import { expect } from 'chai';
import { LeadershipLost } from '../../domain/errors.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { DEBOUNCE_MS } from '../../domain/policies/next-attempt.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { WebhookDeliveries } from '../../domain/ports/sync/webhook-deliveries.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { aTag } from '../support/rows.js';

export interface WebhookDeliveriesSubject {
  /** Of a read model that is used by this test only. */
  readonly subject: WebhookDeliveries;
  /** Both of the same read model. */
  readonly leadership: Leadership;
  readonly writer: ReadModelWriter;
}

const LIMIT = 100;
/** After everything that a test raises. */
const NOW = Date.UTC(2100, 0, 1);
const LATER_MS = 3_600_000;

export function webhookDeliveriesContract(
  runner: Runner,
  Adapter: AdapterClass<WebhookDeliveries>,
  makeSubject: () => Promise<WebhookDeliveriesSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, the deliveries of webhooks,`, () => {
    let deliveries: WebhookDeliveries;
    let leadership: Leadership;
    let writer: ReadModelWriter;
    let epoch: number;

    beforeEach(async () => {
      ({ subject: deliveries, leadership, writer } = await makeSubject());
      epoch = await claim();
    });

    async function claim(): Promise<number> {
      const claimed = await leadership.claim(null);
      if (claimed === null) throw new Error('Another worker leads');
      return claimed;
    }

    /** In one transaction. Returns the new generations. */
    async function raise(...organizationIds: readonly string[]): Promise<readonly number[]> {
      const rows = organizationIds.map((organizationId) => aTag({ id: freshId('tag'), organizationId }));
      const slice = { kind: 'tags', ids: rows.map(({ id }) => id), rows, unshown: [] } as const;
      const { raised } = await writer.write(epoch, { slices: [slice], jobs: [] });
      return organizationIds.map(
        (id) => raised.find(({ organizationId }) => organizationId === id)?.generation ?? 0,
      );
    }

    async function raiseOne(organizationId = freshId('org')): Promise<[id: string, generation: number]> {
      const [generation = 0] = await raise(organizationId);
      return [organizationId, generation];
    }

    async function endpoints(...organizationIds: readonly (string | null)[]) {
      const added = organizationIds.map((organizationId) => anEndpoint(organizationId));
      await deliveries.setEndpoints(epoch, added, NOW);
      return added.map(({ id }) => id);
    }

    /** Collects everything, and returns what is due an hour after that generation. */
    async function collected(
      endpointId: string,
      generation: number,
      isDueAt = generation / 1_000 + LATER_MS,
    ) {
      while ((await deliveries.collect(epoch, isDueAt, LIMIT)).isPartial) {}
      return deliveries.due(epoch, endpointId, isDueAt, LIMIT);
    }

    itIsTestedItself(runner, Adapter, () => deliveries);

    it('have nothing of what was raised before the time since which a new endpoint is told', async () => {
      const [, generation] = await raiseOne();
      const [id = ''] = await endpoints(null);
      expect(await collected(id, generation)).to.deep.equal([]);
      const late = anEndpoint(null);
      await deliveries.setEndpoints(epoch, [late], generation / 1_000 - 1);
      expect(await collected(late.id, generation)).not.to.deep.equal([]);
    });

    it('have one delivery of an organization, with its newest generation', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, first] = await raiseOne();
      const before = await collected(id, first);
      expect(before.map(({ generation }) => generation)).to.deep.equal([first]);
      await raiseOne();
      const [, last] = await raiseOne(organizationId);
      const all = await collected(id, last);
      expect(all.filter((delivery) => delivery.organizationId === organizationId)).to.deep.equal([
        { endpointId: id, organizationId, generation: last, attempts: 0, failingSince: null },
      ]);
      expect(all).to.have.length(2);
    });

    it('are those of its organization for an endpoint that has one', async () => {
      const [one, other] = [freshId('org'), freshId('org')];
      const [ofAll = '', ofOne = '', ofNobody = ''] = await endpoints(null, one, freshId('org'));
      const [, generation = 0] = await raise(one, other);
      const organizationsOf = async (id: string) =>
        (await collected(id, generation)).map(({ organizationId }) => organizationId);
      expect(await organizationsOf(ofAll)).to.have.members([one, other]);
      expect(await organizationsOf(ofOne)).to.deep.equal([one]);
      expect(await organizationsOf(ofNobody)).to.deep.equal([]);
    });

    it('are due some time after the first raise that is not told, however often it is raised again', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, generation] = await raiseOne();
      const dueAt = generation / 1_000 + DEBOUNCE_MS;
      await collected(id, generation);
      const [, newest] = await raiseOne(organizationId);
      expect(await collected(id, newest, dueAt - 1)).to.deep.equal([]);
      const before = await deliveries.collect(epoch, dueAt - 1, LIMIT);
      expect(before.dueEndpointIds).to.deep.equal([]);
      expect(before.nextDueAt).to.be.closeTo(dueAt, 1);
      expect(await collected(id, newest, dueAt + 1)).to.have.length(1);
      const after = await deliveries.collect(epoch, dueAt + 1, LIMIT);
      expect(after).to.deep.equal({ isPartial: false, dueEndpointIds: [id], nextDueAt: null });
    });

    it('are not delayed by a clock that was set back', async () => {
      const [id = ''] = await endpoints(null);
      const [, generation] = await raiseOne();
      const now = generation / 1_000 - LATER_MS;
      await deliveries.collect(epoch, now, LIMIT);
      expect(await deliveries.due(epoch, id, now + DEBOUNCE_MS + 1, LIMIT)).to.have.length(1);
    });

    it('are collected in pieces, none twice and all of one transaction', async () => {
      const [id = '', late = ''] = await endpoints(null, null);
      const organizationIds = Array.from({ length: 7 }, () => freshId('org'));
      let generation = 0;
      for (const organizationId of organizationIds.slice(0, 4))
        [, generation] = await raiseOne(organizationId);
      const [newest = 0] = await raise(...organizationIds.slice(4));
      const now = newest / 1_000;
      expect((await deliveries.collect(epoch, now, 3)).isPartial).to.equal(true);
      const first = await deliveries.due(epoch, id, now + LATER_MS, LIMIT);
      expect(first.map(({ organizationId }) => organizationId)).to.deep.equal(organizationIds.slice(0, 3));
      for (const delivery of first) await deliveries.noteTold(delivery, now);
      let pieces = 1;
      while ((await deliveries.collect(epoch, now, 3)).isPartial) expect(++pieces).to.be.below(10);
      const rest = await deliveries.due(epoch, id, now + LATER_MS, LIMIT);
      expect(rest.map(({ organizationId }) => organizationId)).to.have.members(organizationIds.slice(3));
      expect(await deliveries.due(epoch, late, now + LATER_MS, LIMIT)).to.have.length(7);
      expect(generation).to.be.below(newest);
    });

    it('are returned up to a limit, those first that have waited longest', async () => {
      const [id = ''] = await endpoints(null);
      const [[one], [other, generation]] = [await raiseOne(), await raiseOne()];
      await collected(id, generation);
      const now = generation / 1_000 + LATER_MS;
      const [first] = await deliveries.due(epoch, id, now, 1);
      expect(first?.organizationId).to.equal(one);
      if (first === undefined) return;
      const failure = { reason: 'no answer', failedAt: now, nextAttemptAt: now };
      await deliveries.noteFailed(first, failure);
      expect((await deliveries.due(epoch, id, now, 1))[0]?.organizationId).to.equal(other);
    });

    it('are over once they are told', async () => {
      const [id = '', other = ''] = await endpoints(null, null);
      const [, generation] = await raiseOne();
      for (const delivery of await collected(id, generation))
        await deliveries.noteTold(delivery, generation / 1_000);
      expect(await collected(id, generation)).to.deep.equal([]);
      expect(await collected(other, generation)).to.have.length(1);
    });

    it('begin again if a newer generation was raised while the older one was told', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, generation] = await raiseOne();
      const told = await collected(id, generation);
      const [, newest] = await raiseOne(organizationId);
      await collected(id, newest);
      for (const delivery of told)
        await deliveries.noteFailed(delivery, { reason: 'x', failedAt: 1, nextAttemptAt: 1 });
      const now = newest / 1_000 + LATER_MS;
      for (const delivery of told) await deliveries.noteTold(delivery, now);
      expect(await deliveries.due(epoch, id, newest / 1_000 + DEBOUNCE_MS - 1, LIMIT)).to.deep.equal([]);
      expect(await deliveries.due(epoch, id, newest / 1_000 + DEBOUNCE_MS + 1, LIMIT)).to.deep.equal([
        { endpointId: id, organizationId, generation: newest, attempts: 0, failingSince: null },
      ]);
    });

    it('are due again when the next attempt is, and know since when they fail', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, generation] = await raiseOne();
      const [delivery] = await collected(id, generation);
      if (delivery === undefined) throw new Error('There is no delivery');
      const failedAt = Math.ceil(generation / 1_000) + LATER_MS;
      await deliveries.noteFailed(delivery, { reason: 'refused', failedAt, nextAttemptAt: failedAt + 500 });
      await deliveries.noteFailed(delivery, {
        reason: 'refused',
        failedAt: failedAt + 500,
        nextAttemptAt: failedAt + 900,
      });
      const [, newest] = await raiseOne(organizationId);
      expect(await collected(id, newest, failedAt + 899)).to.deep.equal([]);
      expect(await collected(id, newest, failedAt + 900)).to.deep.equal([
        { endpointId: id, organizationId, generation: newest, attempts: 2, failingSince: failedAt },
      ]);
    });

    it('wait for the next generation if they were given up, and then begin again', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, generation] = await raiseOne();
      const [delivery] = await collected(id, generation);
      if (delivery === undefined) throw new Error('There is no delivery');
      await deliveries.noteFailed(delivery, { reason: 'refused', failedAt: 1, nextAttemptAt: null });
      const distant = generation / 1_000 + 1_000 * LATER_MS;
      expect(await collected(id, generation, distant)).to.deep.equal([]);
      const [, newest] = await raiseOne(organizationId);
      expect(await collected(id, newest)).to.deep.equal([
        { endpointId: id, organizationId, generation: newest, attempts: 0, failingSince: null },
      ]);
    });

    it('begin again if they were given up while a newer generation was raised', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, generation] = await raiseOne();
      const [delivery] = await collected(id, generation);
      if (delivery === undefined) throw new Error('There is no delivery');
      const [, newest] = await raiseOne(organizationId);
      await collected(id, newest);
      const failedAt = newest / 1_000;
      await deliveries.noteFailed(delivery, { reason: 'refused', failedAt, nextAttemptAt: null });
      expect(await deliveries.due(epoch, id, failedAt + DEBOUNCE_MS + 1, LIMIT)).to.deep.equal([
        { endpointId: id, organizationId, generation: newest, attempts: 0, failingSince: null },
      ]);
    });

    it('of an endpoint are kept for the next leader, and forgotten when it is gone', async () => {
      const kept = anEndpoint(null);
      const removed = anEndpoint(null);
      await deliveries.setEndpoints(epoch, [kept, removed], NOW);
      const [, generation] = await raiseOne();
      await deliveries.collect(epoch, generation / 1_000, LIMIT);
      const [, newest] = await raiseOne();
      epoch = await claim();
      await deliveries.setEndpoints(epoch, [{ ...kept, name: 'moved in the file' }], NOW);
      expect(await collected(kept.id, newest)).to.have.length(2);
      await deliveries.setEndpoints(epoch, [removed, kept], NOW);
      expect(await collected(removed.id, newest)).to.deep.equal([]);
    });

    it('of an endpoint that is gone are neither due nor collected, until it is in another file', async () => {
      const [gone, other] = [anEndpoint(null), anEndpoint(null)];
      await deliveries.setEndpoints(epoch, [gone, other], NOW);
      const [organizationId, generation] = await raiseOne();
      const [delivery] = await collected(gone.id, generation);
      if (delivery === undefined) throw new Error('There is no delivery');
      await deliveries.noteGone(gone);
      const failedAt = generation / 1_000;
      await deliveries.noteFailed(delivery, { reason: 'gone', failedAt, nextAttemptAt: failedAt + 1 });
      await deliveries.setEndpoints(epoch, [gone, other], NOW);
      const [, newest] = await raiseOne(organizationId);
      await deliveries.collect(epoch, newest / 1_000, LIMIT);
      const later = await deliveries.collect(epoch, newest / 1_000 + LATER_MS, LIMIT);
      expect(later.dueEndpointIds).to.deep.equal([other.id]);
      const changed = [gone, other].map((endpoint) => ({ ...endpoint, file: 'changed' }));
      await deliveries.setEndpoints(epoch, changed, NOW);
      expect(await collected(gone.id, newest)).to.deep.equal([]);
      const [, next] = await raiseOne(organizationId);
      expect(await collected(gone.id, next)).to.deep.equal([
        { endpointId: gone.id, organizationId, generation: next, attempts: 0, failingSince: null },
      ]);
      expect(await collected(other.id, next)).to.have.length(1);
    });

    it('are neither collected nor returned under an epoch that is over or never began', async () => {
      const [id = ''] = await endpoints(null);
      const [, generation] = await raiseOne();
      const past = epoch;
      epoch = await claim();
      const now = generation / 1_000 + LATER_MS;
      for (const wrong of [past, 0, epoch + 1]) {
        for (const call of [
          () => deliveries.setEndpoints(wrong, [anEndpoint(null)], NOW),
          () => deliveries.collect(wrong, now, LIMIT),
          () => deliveries.due(wrong, id, now, LIMIT),
        ]) {
          const failure = await call().catch((error: unknown) => error);
          expect(failure, `epoch ${wrong}`).to.be.instanceOf(LeadershipLost);
        }
      }
      expect(await deliveries.due(epoch, id, now, LIMIT)).to.deep.equal([]);
      expect(await collected(id, generation)).to.have.length(1);
    });
  });
}

function anEndpoint(organizationId: string | null): WebhookEndpoint {
  return {
    id: freshId('endpoint'),
    name: 'https://receiver',
    url: 'https://receiver/',
    organizationId,
    secrets: [],
    file: 'file',
  };
}
