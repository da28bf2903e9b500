import { expect } from 'chai';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import type { Extension, Part } from '../../../src/composition/extensions/extension.js';
import { MemoryChangeFeed } from '../../../src/contracts/fakes/memory-change-feed.js';
import { MemoryContentSource } from '../../../src/contracts/fakes/memory-content-source.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemorySyncNotes } from '../../../src/contracts/fakes/memory-sync-notes.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import { catchUp, rebuild } from '../../../src/programs/sync/sync-once.js';
import type { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { RecordingLog } from '../../support/programs/recording-log.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { problemsOf } from '../problems-of.js';
import { readModelOf, workerProgram, workerWith } from './extended-worker.js';

describe('A worker with ports that extensions replace', () => {
  let model: MemoryReadModel;
  let source: MemoryContentSource;
  let feed: MemoryChangeFeed;
  let ownContent: Extension;
  let program: SyncProgram | null;

  beforeEach(() => {
    model = new MemoryReadModel(new SystemClock());
    source = new MemoryContentSource();
    feed = new MemoryChangeFeed(source);
    ownContent = {
      worker: (bind) => {
        bind('changeFeed', () => feed);
        bind('contentSource', () => source);
      },
    };
    program = null;
  });
  afterEach(() => program?.stop());

  const start = async (...extensions: readonly Extension[]) => {
    program = workerProgram(workerWith(extensions));
    await program.start();
  };
  const put = (name: string) => {
    source.put('tags', aTag({ id: 'tag', organizationId: 'org', name }));
    feed.add('tags', 'tag');
  };
  const names = () => model.rowsOf('tags', 'org').map(({ name }) => name);
  const showing = (name: string) => eventually(() => expect(names()).to.deep.equal([name]));

  it('copies rows from the source of one extension to the store of another, without any address', async () => {
    put('first');
    await start(readModelOf(model), ownContent);
    await showing('first');
    put('changed');
    await showing('changed');
  });

  it('reports which ports are replaced and by which extension, and runs its own checks and those of extensions', async () => {
    const checking: Extension = {
      worker: () => ({ healthChecks: [{ name: 'own', run: async () => {} }] }),
    };
    program = workerProgram(workerWith([readModelOf(model), ownContent, checking]));
    expect(program.replaced).to.deep.equal({
      Leadership: 'extension-1',
      ReadModelWriter: 'extension-1',
      JobQueue: 'extension-1',
      SyncNotes: 'extension-1',
      GenerationTable: 'extension-1',
      ChangeFeed: 'extension-2',
      ContentSource: 'extension-2',
    });
    expect(program.checks().map(({ name }) => name)).to.deep.equal(['syncing', 'own']);
  });

  it('requires the addresses for the remaining ports, and names these ports', () => {
    const problems = (...extensions: Extension[]) => problemsOf(() => workerProgram(workerWith(extensions)));
    expect(problems(ownContent)).to.have.length(1);
    expect(problems(ownContent)[0]).to.match(
      /^READ_DATABASE_URL is missing: Leadership, ReadModelWriter, JobQueue, SyncNotes and GenerationTable need it \(read tables: /,
    );
    expect(problems(readModelOf(model))).to.have.length(1);
    expect(problems(readModelOf(model))[0]).to.match(
      /^WRITE_DATABASE_URL is missing: ChangeFeed and ContentSource need it \(the dashboard's database: /,
    );
  });

  it('gives every session what is bound for the worker, and logs the replaced ports in the bound log', async () => {
    const log = new RecordingLog();
    let created = 0;
    const logging: Extension = {
      name: 'our log',
      worker: (bind) => {
        bind('log', () => {
          created++;
          return log;
        });
        bind('metrics', (get) => {
          expect(get('log')).to.equal(log);
          return new MemoryMetrics();
        });
      },
    };
    await start(readModelOf(model), ownContent, logging);
    await eventually(() => expect(log.messages).to.include('syncing: this worker leads'));
    expect(created).to.equal(1);
    const loaded = log.lines.filter(({ message }) => message === 'extension loaded');
    expect(loaded.at(-1)?.details).to.deep.equal({
      program: 'sync',
      extension: 'our log',
      replaces: ['Log', 'Metrics'],
    });
  });

  describe('when its store fails', () => {
    let opened: number;
    let closed: number;
    let failing: number;
    let isOutage: boolean;

    /** Each session opens a connection, over which it reads the dashboard's content. */
    const connecting = (): Extension => ({
      worker: (bind) => {
        const connection = Symbol('connection') as Part<object>;
        bind(
          connection,
          () => ({ number: ++opened }),
          () => void closed++,
        );
        bind('changeFeed', (get) => {
          get(connection);
          return {
            ...bound(feed),
            read: async (limit, see) =>
              feed.read(limit, async (changes, content) => {
                if (changes.length > 0 && failing-- > 0) throw new Error('gone');
                return see(changes, content);
              }),
          };
        });
        bind('contentSource', () => source);
        return { isOutage: (error) => isOutage && error instanceof Error && error.message === 'gone' };
      },
    });
    const bound = ({ hasNew, acknowledge }: MemoryChangeFeed) => ({
      hasNew: hasNew.bind(feed),
      acknowledge: acknowledge.bind(feed),
    });

    beforeEach(() => {
      opened = 0;
      closed = 0;
      failing = 1;
      isOutage = true;
    });

    it('closes everything of the session, and starts another one', async () => {
      put('after a failure');
      await start(readModelOf(model), connecting());
      await showing('after a failure');
      expect({ opened, closed }).to.deep.equal({ opened: 2, closed: 1 });
      await program?.stop();
      program = null;
      expect({ opened, closed }).to.deep.equal({ opened: 2, closed: 2 });
    });

    it('closes what was never used, too', async () => {
      program = workerProgram(workerWith([readModelOf(model), connecting()]));
      await program.stop();
      program = null;
      expect({ opened, closed }).to.deep.equal({ opened: 1, closed: 1 });
    });
  });

  describe('over a dashboard on PostgreSQL', () => {
    let databases: SyncedDatabases;
    let notes: MemorySyncNotes;
    let environment: { readonly WRITE_DATABASE_URL: string };

    before(async () => {
      databases = await SyncedDatabases.create();
      environment = { WRITE_DATABASE_URL: databases.writeDatabaseUrl };
      await databases.dashboard.raw(`
        insert into organizations (id, name) values ('org', 'Organization');
        insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
        insert into tags (id, website_id, name, slug) values ('tag', 'web', 'first', 'first');`);
    });
    after(() => databases?.close());

    beforeEach(() => {
      notes = new MemorySyncNotes(model);
    });

    const rename = (name: string) => databases.dashboard('tags').where({ id: 'tag' }).update({ name });
    const worker = () => workerWith([readModelOf(model, notes)], environment);

    it('catches up and rebuilds everything in the store of an extension', async () => {
      await rename('first');
      const first = worker();
      await catchUp(first.settings, first.extended);
      expect(names()).to.deep.equal(['first']);
      await rename('second');
      const second = worker();
      await catchUp(second.settings, second.extended);
      expect(names()).to.deep.equal(['second']);
      const third = worker();
      expect(await rebuild(third.settings, () => {}, third.extended)).to.equal(null);
    });

    it('keeps its notes in the store of the extension, and so detects a different dashboard', async () => {
      const { settings, extended } = worker();
      await catchUp(settings, extended);
      expect(await notes.lastIdentity('dashboard')).not.to.equal(null);
      expect(await notes.lastIdentity('readTables')).to.deep.equal(await notes.identity());
      await notes.remember('dashboard', { systemIdentifier: '1', databaseOid: '1', timeline: 1 });
      const again = worker();
      const failure = await catchUp(again.settings, again.extended).catch((error: unknown) => error);
      expect(String(failure)).to.match(
        /WRITE_DATABASE_URL is not the database from which the read tables were filled/,
      );
    });
  });
});
