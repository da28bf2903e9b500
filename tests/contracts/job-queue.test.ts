import { expect } from 'chai';
import * as mocha from 'mocha';
import { PostgresJobQueue } from '../../src/adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../../src/adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../src/adapters/postgres/write/postgres-read-model-writer.js';
import { MemoryJobQueue } from '../../src/contracts/fakes/memory-job-queue.js';
import { MemoryLeadership } from '../../src/contracts/fakes/memory-leadership.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aTag } from '../../src/contracts/support/rows.js';
import { jobQueueContract } from '../../src/contracts/sync/job-queue.contract.js';
import { BEGUN } from '../../src/contracts/sync/job-queue.subject.js';
import type { JobUpdate, Scope } from '../../src/domain/model/job.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { sharedReadTables } from '../support/postgres/read-tables.js';

jobQueueContract(mocha, MemoryJobQueue, async () => {
  const writer = new MemoryReadModel(new SettableClock());
  return { subject: writer.jobs, writer, leadership: new MemoryLeadership(writer.lead, 10_000) };
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();

  before(async () => {
    await readTables().raw('create table migrated_jobs as table content_read.sync_jobs');
  });

  const makeSubject = async () => {
    await readTables().raw(`
      delete from content_read.sync_jobs;
      insert into content_read.sync_jobs overriding system value table migrated_jobs`);
    return {
      subject: new PostgresJobQueue(readTables()),
      writer: new PostgresReadModelWriter(readTables()),
      leadership: new PostgresLeadership(readTables(), 'test', 10_000),
    };
  };

  jobQueueContract(mocha, PostgresJobQueue, makeSubject);

  describe('PostgresJobQueue', () => {
    let jobQueue: PostgresJobQueue;
    let write: (job: JobUpdate, changes?: number) => Promise<void>;

    beforeEach(async () => {
      const { subject, writer, leadership } = await makeSubject();
      jobQueue = subject;
      const epoch = (await leadership.claim(null)) ?? 0;
      write = async (job, changes = 0) => {
        const rows = Array.from({ length: changes }, () => aTag({ id: freshId('tag') }));
        const slice = { kind: 'tags', ids: rows.map(({ id }) => id), rows, unshown: [] } as const;
        await writer.write(epoch, { slices: [slice], jobs: [job] });
      };
    });

    const oldest = async (of: Scope['kind']) => (await jobQueue.next([of]))?.id ?? 0;
    const stored = async (of: Scope['kind']) =>
      (
        await readTables()('content_read.sync_jobs').where({ scope: of }).orderBy('id').pluck('changed_rows')
      ).map(Number);

    it('stores how many rows a job has changed', async () => {
      const id = await oldest('everything');
      for (const changes of [2, 0, 3]) await write({ kind: 'advance', id, progress: BEGUN }, changes);
      await write({ kind: 'finish', id });
      expect(await stored('everything')).to.deep.equal([5]);
    });

    it('keeps only the last finished job of each scope, and every check that found something', async () => {
      for (const of of ['everything', 'reconcile'] as const) {
        for (const changes of [1, 0, 2, 0, 0]) {
          const id = await oldest(of);
          await write({ kind: 'advance', id, progress: BEGUN }, changes);
          await write({ kind: 'finish', id });
          await write({ kind: 'add', scope: { kind: of } });
        }
      }
      const [over, waiting] = [0, 0];
      expect(await stored('everything')).to.deep.equal([over, waiting]);
      expect(await stored('reconcile')).to.deep.equal([1, 2, over, waiting]);
    });
  });
});
