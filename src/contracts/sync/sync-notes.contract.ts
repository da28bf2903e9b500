import { expect } from 'chai';
import { LeadershipLost } from '../../domain/errors.js';
import type { CaptureLook } from '../../domain/model/capture.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Leadership } from '../../domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { SyncNotes } from '../../domain/ports/sync/sync-notes.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';

export interface SyncNotesSubject {
  /** Of a read model that was never synced and is used by this test only. */
  readonly subject: SyncNotes;
  /** The notes as a worker that starts later reads them, of the same read model. */
  readonly later: SyncNotes;
  /** All of the same read model. */
  readonly leadership: Leadership;
  readonly writer: ReadModelWriter;
  readonly jobs: JobQueue;
}

const ONE = { systemIdentifier: '7000000000000000001', databaseOid: '16384', timeline: 1 };
const SEEN = { blogs: 'a', tags: 'b' };
const WHOLE: CaptureLook = { broken: [], seen: SEEN };
const BROKEN: CaptureLook = { broken: ['a trigger is missing'], seen: { ...SEEN, blogs: 'c' } };

export function syncNotesContract(
  runner: Runner,
  Adapter: AdapterClass<SyncNotes>,
  makeSubject: () => Promise<SyncNotesSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, the notes of the sync,`, () => {
    let notes: SyncNotes;
    let later: SyncNotes;
    let leadership: Leadership;
    let writer: ReadModelWriter;
    let jobs: JobQueue;
    let epoch: number;

    beforeEach(async () => {
      ({ subject: notes, later, leadership, writer, jobs } = await makeSubject());
      epoch = await claim();
      await finishJobs();
    });

    async function claim(): Promise<number> {
      const claimed = await leadership.claim(null);
      if (claimed === null) throw new Error('Another worker leads');
      return claimed;
    }

    async function finishJobs(): Promise<void> {
      const unfinished = await jobs.unfinished(['apiKeys', 'everything']);
      const finished = unfinished.map(({ id }) => ({ kind: 'finish', id }) as const);
      await writer.write(epoch, { slices: [], jobs: finished });
    }

    /** The jobs that a look adds, in order. */
    async function addedBy(look: CaptureLook): Promise<readonly string[]> {
      await notes.noteCapture(epoch, look);
      const unfinished = await jobs.unfinished(['apiKeys', 'everything']);
      await finishJobs();
      return unfinished.map(({ scope }) => scope.kind);
    }

    itIsTestedItself(runner, Adapter, () => notes);

    it('identify the store, always and for every reader in the same way', async () => {
      const identity = await notes.identity();
      expect(identity).to.have.all.keys('systemIdentifier', 'databaseOid', 'timeline');
      expect(identity.systemIdentifier).to.be.a('string').that.is.not.equal('');
      expect(identity.timeline).to.satisfy(Number.isSafeInteger);
      expect(await notes.identity()).to.deep.equal(identity);
      expect(await later.identity()).to.deep.equal(identity);
    });

    it('know no database before one is stored', async () => {
      expect(await notes.lastIdentity('dashboard')).to.equal(null);
      expect(await notes.lastIdentity('readTables')).to.equal(null);
    });

    it('store each database separately, for workers that start later', async () => {
      const other = { ...ONE, databaseOid: '5' };
      await notes.remember('dashboard', ONE);
      expect(await later.lastIdentity('readTables')).to.equal(null);
      await notes.remember('readTables', other);
      expect(await later.lastIdentity('dashboard')).to.deep.equal(ONE);
      expect(await later.lastIdentity('readTables')).to.deep.equal(other);
    });

    it('store the last value exactly', async () => {
      for (const [timeline, text] of TROUBLESOME_TEXTS.entries()) {
        const identity = { systemIdentifier: freshId('system') + text, databaseOid: '0', timeline };
        for (let times = 0; times < 2; times++) {
          await notes.remember('dashboard', identity);
          expect(await later.lastIdentity('dashboard')).to.deep.equal(identity);
        }
      }
      const latest = {
        systemIdentifier: '18446744073709551615',
        databaseOid: '4294967295',
        timeline: 2 ** 32 - 1,
      };
      await notes.remember('dashboard', latest);
      expect(await later.lastIdentity('dashboard')).to.deep.equal(latest);
    });

    it('read nothing again for a capture that remains complete', async () => {
      for (let looks = 0; looks < 3; looks++) {
        expect(await notes.noteCapture(epoch, WHOLE)).to.deep.equal({ kind: 'none' });
        expect(await addedBy(WHOLE)).to.deep.equal([]);
      }
    });

    it('report what was changed, added or removed, and read everything again, API keys first', async () => {
      await notes.noteCapture(epoch, WHOLE);
      const look = { broken: [], seen: { tags: 'b', blogs: 'other', 'a "name"': 'x' } };
      expect(await notes.noteCapture(epoch, look)).to.deep.equal({
        kind: 'repaired',
        changed: ['a "name"', 'blogs'],
      });
      await finishJobs();
      expect(await notes.noteCapture(epoch, look)).to.deep.equal({ kind: 'none' });
      expect(await addedBy(WHOLE)).to.deep.equal(['apiKeys', 'everything']);
    });

    it('report once that the capture is broken, and read the API keys again at each look, and everything if it has changed', async () => {
      await notes.noteCapture(epoch, WHOLE);
      expect(await notes.noteCapture(epoch, BROKEN)).to.deep.equal({ kind: 'broken' });
      await finishJobs();
      expect(await notes.noteCapture(epoch, BROKEN)).to.deep.equal({ kind: 'none' });
      await finishJobs();
      for (let looks = 0; looks < 2; looks++) expect(await addedBy(BROKEN)).to.deep.equal(['apiKeys']);
      const changed = { ...BROKEN, seen: { ...SEEN, blogs: 'd' } };
      expect(await addedBy(changed)).to.deep.equal(['apiKeys', 'everything']);
    });

    it('read everything again once the capture is complete, whatever it looks like then', async () => {
      for (const [before, changed] of [
        [[], []],
        [[WHOLE], ['blogs']],
        [[WHOLE, { broken: [], seen: { ...SEEN, blogs: 'z' } }], ['blogs']],
      ] as const) {
        for (const look of [...before, BROKEN]) await notes.noteCapture(epoch, look);
        await finishJobs();
        expect(await notes.noteCapture(epoch, WHOLE)).to.deep.equal({ kind: 'repaired', changed });
        await finishJobs();
        expect(await addedBy(WHOLE)).to.deep.equal([]);
      }
    });

    it('are kept for the next leader', async () => {
      await notes.noteCapture(epoch, WHOLE);
      await notes.noteCapture(epoch, BROKEN);
      epoch = await claim();
      expect(await notes.noteCapture(epoch, BROKEN)).to.deep.equal({ kind: 'none' });
      expect(await notes.noteCapture(epoch, WHOLE)).to.deep.equal({ kind: 'repaired', changed: ['blogs'] });
    });

    it('store nothing and add no job under an epoch that is over or never began', async () => {
      await notes.noteCapture(epoch, WHOLE);
      const past = epoch;
      epoch = await claim();
      for (const wrong of [past, 0, -1, epoch + 1]) {
        const failure = await notes.noteCapture(wrong, BROKEN).catch((error: unknown) => error);
        expect(failure, `epoch ${wrong}`).to.be.instanceOf(LeadershipLost);
      }
      expect(await jobs.unfinished(['apiKeys', 'everything'])).to.deep.equal([]);
      expect(await notes.noteCapture(epoch, WHOLE)).to.deep.equal({ kind: 'none' });
    });
  });
}
