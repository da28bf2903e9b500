import { expect } from 'chai';
import { TellEndpoints } from '../../../src/application/sync/tell-endpoints.js';
import { MemoryLeadership } from '../../../src/contracts/fakes/memory-leadership.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemoryWebhookDeliveries } from '../../../src/contracts/fakes/memory-webhook-deliveries.js';
import { MemoryWebhookSender } from '../../../src/contracts/fakes/memory-webhook-sender.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import { LeadershipLost } from '../../../src/domain/errors.js';
import type { WebhookEndpoint, WebhookMessage, WebhookRefusal } from '../../../src/domain/model/webhook.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { endpointAt } from '../../support/webhooks/receiver.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LEADER_TIMEOUT_MS = 10 * SECOND;

describe('Telling endpoints', () => {
  let clock: SettableClock;
  let readModel: MemoryReadModel;
  let deliveries: MemoryWebhookDeliveries;
  let metrics: MemoryMetrics;
  let log: RecordingLog;
  /** What was sent to each URL, and at which time. */
  let sent: (WebhookMessage & { readonly url: string; readonly at: number })[];
  let receive: (url: string, message: WebhookMessage) => WebhookRefusal | null;
  let steps: TellEndpoints;
  let epoch: number;
  const website = endpointAt('website');

  beforeEach(async () => {
    clock = new SettableClock();
    readModel = new MemoryReadModel(clock);
    deliveries = new MemoryWebhookDeliveries(readModel);
    metrics = new MemoryMetrics();
    log = new RecordingLog();
    sent = [];
    receive = accept;
    await lead();
  });

  /** Another worker takes over, with this file of endpoints. */
  async function lead(endpoints: readonly WebhookEndpoint[] = [website]): Promise<void> {
    clock.advance(LEADER_TIMEOUT_MS + 1);
    epoch = (await new MemoryLeadership(readModel.lead, LEADER_TIMEOUT_MS).claim(null)) ?? 0;
    const sender = new MemoryWebhookSender((url, message) => {
      sent.push({ url, ...message, at: clock.now() });
      return receive(url, message);
    });
    steps = new TellEndpoints(endpoints, deliveries, sender, clock, metrics, log);
    await steps.begin(epoch, clock.now());
  }

  async function publish(...organizationIds: readonly string[]): Promise<void> {
    const rows = organizationIds.map((organizationId) => aTag({ id: freshId('tag'), organizationId }));
    const slice = { kind: 'tags', ids: rows.map(({ id }) => id), rows, unshown: [] } as const;
    await readModel.write(epoch, { slices: [slice], jobs: [] });
  }

  /** Does what the loop does, with a look every 250 ms. */
  async function pass(milliseconds: number): Promise<void> {
    for (const until = clock.now() + milliseconds; clock.now() < until; clock.advance(250)) {
      for (const endpoint of (await steps.look(epoch)).endpoints) {
        while (await steps.tell(epoch, endpoint)) {}
      }
    }
  }

  const accept = () => null;
  const refuse = (): WebhookRefusal => ({ reason: 'it answered 503', retryAfterMs: 0, isGone: false });
  const numberOf = (event: 'webhook-told' | 'webhook-failed') => metrics.of(event);

  it('tells one of what was published since it was first configured, and once', async () => {
    await pass(MINUTE);
    await publish('org_a');
    await pass(HOUR);
    expect(sent).to.have.length(1);
    expect(sent[0]).to.include({ organizationId: 'org_a', generation: readModel.generationOf('org_a') });
    expect(numberOf('webhook-told')).to.equal(1);
  });

  it('makes one call of a burst, with the newest generation', async () => {
    for (let edits = 0; edits < 3; edits++) {
      await publish('org_a');
      await pass(250);
    }
    await pass(MINUTE);
    expect(sent.map(({ generation }) => generation)).to.deep.equal([readModel.generationOf('org_a')]);
  });

  it('makes about one call a second while edits never end', async () => {
    for (let edits = 0; edits < 40; edits++) {
      await publish('org_a');
      await pass(250);
    }
    expect(sent.length).to.be.within(7, 10);
  });

  it('tells a receiver that was down for an hour once, with the newest generation, soon after', async () => {
    receive = refuse;
    await publish('org_a', 'org_b');
    await pass(30 * MINUTE);
    await publish('org_a');
    await pass(30 * MINUTE);
    expect(sent.length).to.be.below(40);
    const before = sent.length;
    expect(numberOf('webhook-failed')).to.equal(before);
    receive = accept;
    await pass(10 * MINUTE + SECOND);
    expect(
      sent.slice(before).map(({ organizationId, generation }) => [organizationId, generation]),
    ).to.have.deep.members(['org_a', 'org_b'].map((id) => [id, readModel.generationOf(id)]));
    await pass(HOUR);
    expect(sent).to.have.length(before + 2);
    expect(log.messages).to.deep.equal([
      'webhooks: an endpoint fails and is told again',
      'webhooks: an endpoint answers again',
    ]);
  });

  it('gives up after a day, says so, and begins again with the next change', async () => {
    receive = refuse;
    await publish('org_a');
    await pass(25 * HOUR);
    const attempts = sent.length;
    expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).to.be.within(23 * HOUR, 24 * HOUR);
    await pass(24 * HOUR);
    expect(sent).to.have.length(attempts);
    expect(log.messages).to.contain(
      'webhooks: an endpoint failed for a day and is told again after the next change',
    );
    receive = accept;
    await publish('org_a');
    await pass(2 * SECOND);
    expect(sent.slice(attempts).map(({ generation }) => generation)).to.deep.equal([
      readModel.generationOf('org_a'),
    ]);
  });

  it('does not let one organization that is refused keep the others waiting', async () => {
    receive = (_, { organizationId }) => (organizationId === 'org_refused' ? refuse() : null);
    await publish('org_refused');
    await pass(HOUR);
    await publish('org_a');
    await pass(3 * SECOND);
    expect(sent.at(-1)).to.include({ organizationId: 'org_a' });
  });

  it('makes one call at a time to an endpoint that fails, and else a few', async () => {
    let open = 0;
    let most = 0;
    const slow = new MemoryWebhookSender(async () => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return receive('', { organizationId: '', generation: 0, blogs: null, terms: true });
    });
    steps = new TellEndpoints([website], deliveries, slow, clock, metrics, log);
    await publish(...Array.from({ length: 50 }, (_, n) => `org_${n}`));
    await pass(2 * SECOND);
    expect(most).to.equal(4);
    receive = refuse;
    await publish(...Array.from({ length: 50 }, (_, n) => `org_${n}`));
    await pass(2 * SECOND);
    most = 0;
    await pass(2 * SECOND);
    expect(most).to.equal(1);
  });

  it('tells an endpoint at most so often of an organization: the first at once, all that follow in one', async () => {
    await lead([{ ...website, atMostEveryMs: 5 * MINUTE }]);
    const start = clock.now();
    for (let edits = 0; edits < 11 * 60; edits++) {
      await publish('org_a');
      if (edits === 60) await publish('org_b');
      await pass(SECOND);
    }
    const timesOf = (id: string) =>
      sent.filter(({ organizationId }) => organizationId === id).map(({ at }) => (at - start) / SECOND);
    const [first = 0, second = 0, third = 0, ...rest] = timesOf('org_a');
    expect(first).to.be.within(1, 3);
    expect([second - first, third - second]).to.satisfy((waits: number[]) =>
      waits.every((wait) => wait >= 300 && wait <= 302),
    );
    expect(rest).to.deep.equal([]);
    expect(timesOf('org_b')).to.have.length(1);
    expect(timesOf('org_b')[0]).to.be.within(61, 64);
    await pass(HOUR);
    expect(timesOf('org_a')).to.have.length(4);
    expect(sent.at(-1)?.generation).to.equal(readModel.generationOf('org_a'));
  });

  it('does not call an endpoint before its Retry-After, whatever organization is published', async () => {
    receive = () => ({ ...refuse(), retryAfterMs: MINUTE });
    await publish('org_a');
    await pass(2 * SECOND);
    const [refused] = sent;
    receive = accept;
    await publish('org_b');
    await pass(2 * MINUTE);
    expect(sent.slice(1).map(({ organizationId }) => organizationId)).to.have.members(['org_a', 'org_b']);
    for (const { at } of sent.slice(1)) expect(at - (refused?.at ?? 0)).to.be.within(MINUTE, MINUTE + SECOND);
  });

  it('does not call an endpoint that is gone, under another leader either, until the file changes', async () => {
    receive = () => ({ reason: 'it answered 410', retryAfterMs: 0, isGone: true });
    await publish('org_a');
    await pass(2 * SECOND);
    receive = accept;
    await publish('org_a', 'org_b');
    await pass(HOUR);
    await lead();
    await publish('org_b');
    await pass(25 * HOUR);
    expect(sent).to.have.length(1);
    expect(log.messages).to.deep.equal([
      'webhooks: an endpoint is not called again until the file of WEBHOOKS changes',
    ]);
    await lead([{ ...website, file: 'changed' }]);
    await publish('org_b');
    await pass(MINUTE);
    expect(sent.slice(1).map(({ organizationId }) => organizationId)).to.deep.equal(['org_b']);
  });

  describe('if a worker is killed,', () => {
    const crash = new Error('killed');
    const crashing = <Name extends keyof MemoryWebhookDeliveries>(name: Name, isAfter: boolean) => {
      const method = deliveries[name] as (...given: unknown[]) => Promise<unknown>;
      Object.assign(deliveries, {
        [name]: async (...given: unknown[]) => {
          Object.assign(deliveries, { [name]: method });
          if (isAfter) await method.apply(deliveries, given);
          throw crash;
        },
      });
    };

    for (const name of ['setEndpoints', 'collect', 'due', 'noteTold'] as const) {
      for (const isAfter of [false, true]) {
        it(`${isAfter ? 'after' : 'before'} ${name}, nothing is lost, and told at most once too often`, async () => {
          await publish('org_a', 'org_b');
          crashing(name, isAfter);
          const failure = await (name === 'setEndpoints'
            ? steps.begin(epoch, clock.now())
            : pass(MINUTE)
          ).catch((error: unknown) => error);
          expect(failure).to.equal(crash);
          await lead();
          await pass(MINUTE);
          const timesOf = (id: string) => sent.filter(({ organizationId }) => organizationId === id).length;
          const expected = name === 'noteTold' && !isAfter ? 2 : 1;
          // What was noted of the other one is noted.
          expect(['org_a', 'org_b'].map(timesOf)).to.deep.equal([expected, 1]);
          const generations = new Set(sent.map(({ generation }) => generation));
          expect(generations.size).to.equal(1);
        });
      }
    }

    it('before it notes a failure, the attempt is repeated', async () => {
      receive = refuse;
      await publish('org_a');
      crashing('noteFailed', false);
      expect(await pass(MINUTE).catch((error: unknown) => error)).to.equal(crash);
      receive = accept;
      await lead();
      await pass(MINUTE);
      expect(sent).to.have.length(2);
    });
  });

  it('stops at once when another worker leads', async () => {
    await publish('org_a');
    const former = { steps, epoch };
    await lead();
    for (const step of [former.steps.look(former.epoch), former.steps.tell(former.epoch, website)])
      expect(await step.catch((error: unknown) => error)).to.be.instanceOf(LeadershipLost);
    expect(sent).to.deep.equal([]);
    await pass(MINUTE);
    expect(sent).to.have.length(1);
  });

  it('forgets endpoints that are gone from the file, and tells new ones of what is new', async () => {
    const other = endpointAt('other');
    await publish('org_a');
    await lead([other]);
    await pass(MINUTE);
    expect(sent).to.deep.equal([]);
    await lead([website, other]);
    await publish('org_b');
    await pass(MINUTE);
    expect(sent.map(({ url, organizationId }) => `${url} ${organizationId}`)).to.have.members([
      'website org_b',
      'other org_b',
    ]);
  });
});
