import type { NamedExtension } from '../../../src/composition/extensions/extend.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import type { Clock } from '../../../src/domain/ports/system/clock.js';
import { MysqlSyncedDatabases } from '../../qa/support/dashboards/mysql-synced-databases.js';
import { createSharedDatabase } from '../../qa/support/servers/test-mariadb.js';
import { makeReferenceSchema } from '../dashboards/mysql-dashboard.js';
import { leadingWriter } from '../postgres/leading-writer.js';
import { createReadTables } from '../postgres/migrated-databases.js';
import { patientConnection } from '../postgres/patient-connection.js';
import { bindReadSide } from '../programs/extended-api.js';
import { SyncedDatabases } from '../sync/synced-databases.js';
import { ContentOfDashboard } from './content-of-dashboard.js';
import { type Content, ContentOfReadModel } from './content-of-read-model.js';
import type { DashboardStage, Stage } from './stages.js';

export interface OpenStage {
  /** Null: an extension provides the storage. */
  readonly readDatabaseUrl: string | null;
  readonly content: Content;
  readonly extensions?: readonly NamedExtension[];
}

const DASHBOARDS: Readonly<Record<DashboardStage, () => Promise<SyncedDatabases>>> = {
  'reference-dashboard': () => SyncedDatabases.create(),
  'mariadb-dashboard': createOnMariaDb,
};

async function createOnMariaDb(): Promise<SyncedDatabases> {
  const url = await createSharedDatabase();
  await makeReferenceSchema(url);
  return MysqlSyncedDatabases.createAt(url);
}

export async function openStage(stage: Stage, clock: Clock): Promise<OpenStage> {
  if (stage === 'memory') return openMemory(clock);
  if (stage === 'postgres') return openReadTables();
  const databases = await DASHBOARDS[stage]();
  return { readDatabaseUrl: databases.readDatabaseUrl, content: await ContentOfDashboard.open(databases) };
}

function openMemory(clock: Clock): OpenStage {
  const model = new MemoryReadModel(clock);
  return {
    readDatabaseUrl: null,
    content: new ContentOfReadModel(leadingWriter(model), async () => {}),
    extensions: [{ name: 'memory', api: (bind) => bindReadSide(bind, model) }],
  };
}

async function openReadTables(): Promise<OpenStage> {
  const url = await createReadTables();
  const worker = patientConnection(url);
  const content = new ContentOfReadModel(leadingWriter(worker.database), () => worker.close());
  return { readDatabaseUrl: url, content };
}
