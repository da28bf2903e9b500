import { expect } from 'chai';
import { LeadershipLost } from '../../domain/errors.js';
import type { BlogRow, ReadModelSlice, RowKind, RowTypes } from '../../domain/model/read-model.js';
import type { WebhookDelivery, WebhookEndpoint } from '../../domain/model/webhook.js';
import { messageOf } from '../../domain/policies/webhook-message.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { WebhookDeliveries } from '../../domain/ports/sync/webhook-deliveries.js';
import { DEBOUNCE_MS } from '../../domain/ports/sync/webhook-deliveries.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { aBlog, aCategory, aKey, aTag, websiteOf } from '../support/rows.js';

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

    /** Without what changed. */
    const stateOf = (due: readonly WebhookDelivery[]) => due.map(({ changes, ...state }) => state);

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
      const [organizationId, generation] = await raiseOne();
      const [id = ''] = await endpoints(null);
      expect(await collected(id, generation)).to.deep.equal([]);
      const late = anEndpoint(null);
      await deliveries.setEndpoints(epoch, [late], generation / 1_000 - 1);
      const messages = (await collected(late.id, generation)).map(messageOf);
      expect(messages).to.deep.include({ organizationId, generation, blogs: null, terms: true });
      const [, newest] = await raiseOne();
      const latest = anEndpoint(null);
      await deliveries.setEndpoints(epoch, [late, latest], NOW);
      expect(await collected(latest.id, newest)).to.deep.equal([]);
      expect(await collected(late.id, newest)).not.to.deep.equal([]);
    });

    it('have one delivery of an organization, with its newest generation', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, first] = await raiseOne();
      const before = await collected(id, first);
      expect(before.map(({ generation }) => generation)).to.deep.equal([first]);
      await raiseOne();
      const [, last] = await raiseOne(organizationId);
      const all = await collected(id, last);
      expect(stateOf(all.filter((delivery) => delivery.organizationId === organizationId))).to.deep.equal([
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

    it('are collected in pieces, none twice', async () => {
      const [id = '', late = ''] = await endpoints(null, null);
      const organizationIds = Array.from({ length: 7 }, () => freshId('org'));
      let generation = 0;
      for (const organizationId of organizationIds.slice(0, 4))
        [, generation] = await raiseOne(organizationId);
      const [newest = 0] = await raise(...organizationIds.slice(4));
      const now = newest / 1_000;
      expect((await deliveries.collect(epoch, now, 3)).isPartial).to.equal(true);
      const first = await deliveries.due(epoch, id, now + LATER_MS, LIMIT);
      expect(first).to.have.length(3);
      for (const delivery of first) await deliveries.noteTold(delivery, now, 0);
      let pieces = 1;
      while ((await deliveries.collect(epoch, now, 3)).isPartial) expect(++pieces).to.be.below(10);
      const rest = await deliveries.due(epoch, id, now + LATER_MS, LIMIT);
      expect([...first, ...rest].map(({ organizationId }) => organizationId)).to.have.members(
        organizationIds,
      );
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
        await deliveries.noteTold(delivery, generation / 1_000, 0);
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
      for (const delivery of told) await deliveries.noteTold(delivery, now, 0);
      expect(await deliveries.due(epoch, id, newest / 1_000 + DEBOUNCE_MS - 1, LIMIT)).to.deep.equal([]);
      expect(stateOf(await deliveries.due(epoch, id, newest / 1_000 + DEBOUNCE_MS + 1, LIMIT))).to.deep.equal(
        [{ endpointId: id, organizationId, generation: newest, attempts: 0, failingSince: null }],
      );
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
      expect(stateOf(await collected(id, newest, failedAt + 900))).to.deep.equal([
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
      expect(stateOf(await collected(id, newest))).to.deep.equal([
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
      expect(stateOf(await deliveries.due(epoch, id, failedAt + DEBOUNCE_MS + 1, LIMIT))).to.deep.equal([
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
      expect(stateOf(await collected(gone.id, next))).to.deep.equal([
        { endpointId: gone.id, organizationId, generation: next, attempts: 0, failingSince: null },
      ]);
      expect(await collected(other.id, next)).to.have.length(1);
    });

    describe('name what changed:', () => {
      let endpointId: string;
      let organizationId: string;
      let websiteId: string;

      beforeEach(async () => {
        [endpointId = ''] = await endpoints(null);
        organizationId = freshId('org');
        websiteId = websiteOf(organizationId);
      });

      type Row = { readonly id: string; readonly organizationId: string };

      /** These ids have these rows now. Returns the last generation. */
      async function write<Kind extends RowKind>(
        kind: Kind,
        rows: readonly RowTypes[Kind][],
        ids = rows.map((row) => (row as Row).id),
      ): Promise<number> {
        const slice = { kind, ids, rows, unshown: [] } as unknown as ReadModelSlice;
        const { raised } = await writer.write(epoch, { slices: [slice], jobs: [] });
        return Math.max(...raised.map(({ generation }) => generation));
      }

      const blog = (id: string, given: Partial<BlogRow> = {}) => aBlog({ id, organizationId, ...given });
      const addressOf = ({ id, slug, websiteId }: BlogRow) => ({ id, slug, websiteId });

      async function dueOf(id = endpointId, of = organizationId): Promise<WebhookDelivery | null> {
        const due = await collected(id, Date.now() * 1_000);
        return due.find((delivery) => delivery.organizationId === of) ?? null;
      }

      async function told(id = endpointId, of = organizationId) {
        const delivery = await dueOf(id, of);
        if (delivery === null) return null;
        await deliveries.noteTold(delivery, Date.now(), 0);
        const { blogs, terms } = messageOf(delivery);
        return { blogs, terms };
      }

      it('a blog that is shown, changed or taken away', async () => {
        const before = blog(freshId('blog'));
        const after = { ...before, title: 'Another title', foldedTitle: 'another title' };
        for (const rows of [[before], [after], []]) {
          await write('blogs', rows, [before.id]);
          expect(await told()).to.deep.equal({ blogs: [addressOf(before)], terms: false });
        }
        await write('blogs', [], [before.id]);
        expect(await told()).to.equal(null);
      });

      it('a blog that moves, under the slug and website that it left and has now', async () => {
        const before = blog(freshId('blog'));
        await write('blogs', [before]);
        await told();
        const renamed = { ...before, slug: 'another' };
        await write('blogs', [renamed]);
        expect((await told())?.blogs).to.have.deep.members([addressOf(before), addressOf(renamed)]);
        const moved = { ...renamed, websiteId: `${websiteId}2` };
        await write('blogs', [moved]);
        expect((await told())?.blogs).to.have.deep.members([addressOf(renamed), addressOf(moved)]);
      });

      it('a blog that goes to another organization, to both', async () => {
        const before = blog(freshId('blog'));
        await write('blogs', [before]);
        await told();
        const other = freshId('org');
        const after = { ...before, organizationId: other, websiteId: websiteOf(other) };
        await write('blogs', [after]);
        expect((await told(endpointId, other))?.blogs).to.deep.equal([addressOf(after)]);
        expect([[addressOf(before)], null]).to.deep.include((await told())?.blogs);
      });

      it('categories and tags, whatever becomes of them', async () => {
        const tag = aTag({ id: freshId('tag'), organizationId });
        const category = aCategory({ id: freshId('category'), organizationId });
        for (const isThere of [true, false]) {
          await write('tags', isThere ? [tag] : [], [tag.id]);
          expect(await told()).to.deep.equal({ blogs: [], terms: true });
          await write('categories', isThere ? [category] : [], [category.id]);
          expect(await told()).to.deep.equal({ blogs: [], terms: true });
        }
      });

      it('nothing, if keys alone changed', async () => {
        const key = aKey({ id: freshId('key'), organizationId });
        await write('apiKeys', [key]);
        await write('apiKeys', [{ ...key, revokedAt: 1 }]);
        expect(await told()).to.equal(null);
        const row = blog(freshId('blog'));
        await write('blogs', [row]);
        await write('apiKeys', [], [key.id]);
        expect(await told()).to.deep.equal({ blogs: [addressOf(row)], terms: false });
      });

      it('everything that changed while the endpoint was not told, each blog once', async () => {
        const [one, other] = [blog(freshId('blog')), blog(freshId('blog'))];
        await write('blogs', [one]);
        await dueOf();
        await write('blogs', [other]);
        await write('blogs', [], [one.id]);
        await dueOf();
        await write('tags', [aTag({ id: freshId('tag'), organizationId })]);
        expect(await told()).to.deep.equal({ blogs: [addressOf(one), addressOf(other)], terms: true });
        expect(await told()).to.equal(null);
      });

      it('only what is newer than what was told meanwhile', async () => {
        const [one, other] = [blog(freshId('blog')), blog(freshId('blog'))];
        await write('blogs', [one]);
        const sent = await dueOf();
        await write('blogs', [other]);
        await dueOf();
        if (sent !== null) await deliveries.noteTold(sent, Date.now(), 0);
        expect(await told()).to.deep.equal({ blogs: [addressOf(other)], terms: false });
      });

      it('what was given up as well, after the next change', async () => {
        const one = blog(freshId('blog'));
        await write('blogs', [one]);
        const sent = await dueOf();
        if (sent === null) throw new Error('There is no delivery');
        const failure = { reason: 'refused', failedAt: Date.now(), nextAttemptAt: null };
        await deliveries.noteFailed(sent, failure);
        const other = blog(freshId('blog'));
        await write('blogs', [other]);
        expect((await told())?.blogs).to.deep.equal([addressOf(one), addressOf(other)]);
      });

      it('up to a hundred blogs, and of more that any may have changed', async () => {
        const rows = Array.from({ length: 101 }, (_, n) => blog(freshId(`blog${n}`)));
        await write('blogs', rows.slice(0, 100));
        expect((await told())?.blogs).to.have.deep.members(rows.slice(0, 100).map(addressOf));
        await write('blogs', rows.slice(100));
        await write(
          'blogs',
          [],
          rows.slice(0, 100).map(({ id }) => id),
        );
        expect(await told()).to.deep.equal({ blogs: null, terms: false });
        for (let times = 0; times < 3; times++) {
          const slug = `slug-${times}-of-`;
          await write(
            'blogs',
            rows.map((row) => ({ ...row, slug: slug + row.id })),
          );
          await dueOf();
        }
        await write(
          'blogs',
          [],
          rows.slice(1).map(({ id }) => id),
        );
        expect(await told()).to.deep.equal({ blogs: null, terms: true });
        await write(
          'blogs',
          [],
          rows.map(({ id }) => id),
        );
        expect((await told())?.blogs).to.have.length(1);
      });

      it('that all may have changed, if all generations are raised', async () => {
        await write('blogs', [blog(freshId('blog'))]);
        await told();
        await writer.write(epoch, { slices: [], jobs: [], raisesAll: true });
        expect(await told()).to.deep.equal({ blogs: null, terms: true });
      });

      it('that all may have changed, if a website goes to another organization', async () => {
        await write('blogs', [blog(freshId('blog'))]);
        await told();
        const owners = [{ websiteId, organizationId: freshId('org') }];
        await writer.write(epoch, { slices: [], jobs: [], owners });
        expect(await told()).to.deep.equal({ blogs: null, terms: true });
      });

      it('of its website, for an endpoint that has one', async () => {
        const other = `${websiteId}2`;
        const [one, two] = [anEndpoint(null, websiteId), anEndpoint(organizationId, other)];
        await deliveries.setEndpoints(epoch, [one, two], NOW);
        const before = blog(freshId('blog'));
        await write('blogs', [before]);
        expect(await told(two.id)).to.equal(null);
        expect(await told(one.id)).to.deep.equal({ blogs: [addressOf(before)], terms: false });
        const moved = { ...before, websiteId: other };
        await write('blogs', [moved]);
        expect((await told(one.id))?.blogs).to.deep.equal([addressOf(before)]);
        expect((await told(two.id))?.blogs).to.deep.equal([addressOf(moved)]);
        await write('tags', [aTag({ id: freshId('tag'), organizationId })]);
        expect(await told(one.id)).to.deep.equal({ blogs: [], terms: true });
        const many = Array.from({ length: 250 }, (_, n) => blog(freshId(`blog${n}`)));
        await write('blogs', many);
        expect(await told(one.id)).to.deep.equal({ blogs: null, terms: true });
        expect(await told(two.id)).to.equal(null);
        for (const times of [1, 2, 3])
          await write(
            'blogs',
            many.slice(0, 99).map((row) => ({ ...row, excerpt: `${times} times` })),
          );
        expect(await told(one.id)).to.deep.equal({ blogs: null, terms: true });
        expect(await told(two.id)).to.equal(null);
        await writer.write(epoch, { slices: [], jobs: [], raisesAll: true });
        expect(await told(two.id)).to.deep.equal({ blogs: null, terms: true });
      });
    });

    it('are not due within the rest after one that was told, all in one', async () => {
      const [id = ''] = await endpoints(null);
      const [organizationId, generation] = await raiseOne();
      const now = generation / 1_000 + LATER_MS;
      const restMs = 100 * LATER_MS;
      for (const delivery of await collected(id, generation, now))
        await deliveries.noteTold(delivery, now, restMs);
      await raiseOne(organizationId);
      const [, newest] = await raiseOne(organizationId);
      expect(await collected(id, newest, now + restMs - 1)).to.deep.equal([]);
      const due = await collected(id, newest, now + restMs + 1);
      const [delivery] = due;
      expect(due.map(({ generation }) => generation)).to.deep.equal([newest]);
      await deliveries.collect(epoch, now, LIMIT);
      const [, last] = await raiseOne(organizationId);
      await collected(id, last);
      if (delivery !== undefined) await deliveries.noteTold(delivery, now + restMs, restMs);
      expect(await collected(id, last, now + 2 * restMs - 1)).to.deep.equal([]);
      expect(await collected(id, last, now + 2 * restMs + 1)).to.have.length(1);
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

function anEndpoint(organizationId: string | null, websiteId: string | null = null): WebhookEndpoint {
  return {
    id: freshId('endpoint'),
    name: 'https://receiver',
    url: 'https://receiver/',
    organizationId,
    websiteId,
    secrets: [],
    headers: {},
    atMostEveryMs: 0,
    file: 'file',
  };
}
