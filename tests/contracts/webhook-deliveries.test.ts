import { expect } from 'chai';
import * as mocha from 'mocha';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresWebhookDeliveries } from '../../src/adapters/postgres/write/postgres-webhook-deliveries.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { MemoryWebhookDeliveries } from '../../src/contracts/fakes/memory-webhook-deliveries.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { claimed } from '../../src/contracts/sync/leadership.contract.js';
import { webhookDeliveriesContract } from '../../src/contracts/sync/webhook-deliveries.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { createReadTables } from '../support/postgres/migrated-databases.js';
import { patientConnection } from '../support/postgres/patient-connection.js';
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

  it('PostgresWebhookDeliveries tells a new endpoint of what a write has raised that did not know it', async () => {
    const url = await createReadTables();
    const [ofWriter, database] = [patientConnection(url).database, patientConnection(url).database];
    try {
      const epoch = await claimed({ leadership: new PostgresLeadership(ofWriter, 'test', 10_000) });
      const deliveries = new PostgresWebhookDeliveries(database);
      const write = await ofWriter.transaction();
      await write.raw('update content_read.sync_leader set beat_at = clock_timestamp()');
      await write.raw(`insert into content_read.organizations values ('org_late', 2)`);
      const endpoint = endpointAt('https://receiver/');
      const added = deliveries.setEndpoints(epoch, [endpoint], 0);
      await eventually(async () => {
        const { rows } = await write.raw('select from pg_locks where not granted');
        expect(rows).not.to.deep.equal([]);
      });
      await write.commit();
      await added;
      const due = await deliveries.due(epoch, endpoint.id, Date.UTC(2100, 0, 1), 100);
      expect(due.map(({ organizationId }) => organizationId)).to.deep.equal(['org_late']);
    } finally {
      await Promise.all([ofWriter.destroy(), database.destroy()]);
    }
  });

  it('PostgresReadModelWriter notes changes of organizations only of which an endpoint is told', async () => {
    await readTables().raw('delete from content_read.webhook_endpoints');
    const epoch = await claimed({ leadership: new PostgresLeadership(readTables(), 'test', 10_000) });
    const writer = new PostgresReadModelWriter(readTables());
    const deliveries = new PostgresWebhookDeliveries(readTables());
    await deliveries.collect(epoch, Date.now(), 1_000);
    const edit = async (organizationId: string) => {
      const rows = [aBlog({ id: freshId('blog'), organizationId })];
      const slices = [{ kind: 'blogs', ids: rows.map(({ id }) => id), rows, unshown: [] } as const];
      await writer.write(epoch, { slices, jobs: [] });
    };
    const noted = () =>
      readTables().withSchema('content_read').from('webhook_changes').pluck('organization_id');
    const [told, other] = [freshId('org'), freshId('org')];
    await edit(told);
    expect(await noted()).to.deep.equal([]);
    const endpoint = { ...endpointAt('https://receiver/'), organizationId: told };
    await deliveries.setEndpoints(epoch, [endpoint], Date.UTC(2100, 0, 1));
    for (const organizationId of [other, told, told]) await edit(organizationId);
    expect(await noted()).to.deep.equal([told]);
    await deliveries.setEndpoints(epoch, [], 0);
    await deliveries.collect(epoch, Date.now(), 1_000);
    await edit(told);
    expect(await noted()).to.deep.equal([]);
  });
});
