import * as mocha from 'mocha';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresWebhookDeliveries } from '../../src/adapters/postgres/write/postgres-webhook-deliveries.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemoryWebhookDeliveries } from '../../src/contracts/fakes/memory-webhook-deliveries.js';
import { webhookDeliveriesContract } from '../../src/contracts/sync/webhook-deliveries.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';

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
});
