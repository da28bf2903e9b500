import { expect } from 'chai';
import * as mocha from 'mocha';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresWebhookDeliveries } from '../../src/adapters/postgres/write/postgres-webhook-deliveries.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemoryWebhookDeliveries } from '../../src/contracts/fakes/memory-webhook-deliveries.js';
import { claimed } from '../../src/contracts/sync/leadership.contract.js';
import { webhookDeliveriesContract } from '../../src/contracts/sync/webhook-deliveries.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';
import { endpointAt } from '../support/webhooks/receiver.js';

webhookDeliveriesContract(mocha, MemoryWebhookDeliveries, async () => {
  const writer = new MemoryReadModel(new SettableClock());
  const leadership = new MemoryLeadership(writer.lead, 10_000);
  return { subject: new MemoryWebhookDeliveries(writer), leadership, writer };
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  webhookDeliveriesContract(mocha, PostgresWebhookDeliveries, async () => {
    await readTables().raw('delete from content_read.webhook_endpoints');
    return {
      subject: new PostgresWebhookDeliveries(readTables()),
      leadership: new PostgresLeadership(readTables(), 'test', 10_000),
      writer: new PostgresReadModelWriter(readTables()),
    };
  });

  it('PostgresWebhookDeliveries collects what has one generation together, because it remembers that generation only', async () => {
    await readTables().raw('delete from content_read.webhook_endpoints');
    const epoch = await claimed({ leadership: new PostgresLeadership(readTables(), 'test', 10_000) });
    const deliveries = new PostgresWebhookDeliveries(readTables());
    const endpoint = endpointAt('https://receiver/');
    await deliveries.setEndpoints(epoch, [endpoint], Date.UTC(2100, 0, 1));
    // As when the clock was set back: a transaction raises all organizations to the next number.
    await readTables().raw(`
      insert into content_read.organizations
      select 'tied_' || n, (select coalesce(max(generation), 0) + 1 from content_read.organizations) from generate_series(1, 7) as n`);
    while ((await deliveries.collect(epoch, Date.now(), 3)).isPartial) {}
    const collected = await deliveries.due(epoch, endpoint.id, Date.UTC(2100, 0, 1), 100);
    expect(collected).to.have.length(7);
  });
});
