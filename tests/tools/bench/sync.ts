import { delay, type Note } from './figures.js';
import { aroundIt, bulkUpdate, fanOuts, rebuild, rebuilds } from './long-work.js';
import { SyncStage } from './sync-stage.js';
import { Visibility } from './visibility.js';

const EDITS = 100;
const REVOCATIONS = 50;

type During = (stage: SyncStage, measure: () => Promise<void>) => Promise<void>;

const SITUATIONS: Readonly<Record<string, readonly [promisedMs: number, During]>> = {
  'nothing else going on': [60, (_stage, measure) => measure()],
  'a fan-out going on': [100, (stage, measure) => aroundIt(fanOuts(stage), measure)],
  'a rebuild going on': [100, (stage, measure) => aroundIt(rebuilds(stage), measure)],
};

export async function measureSync(note: Note): Promise<void> {
  const stage = await SyncStage.set(Object.keys(SITUATIONS).length * (REVOCATIONS + 1));
  try {
    await measureOn(stage, note);
  } finally {
    await stage.strike();
  }
}

export async function measureBulk(note: Note): Promise<void> {
  const stage = await SyncStage.set(0);
  try {
    await rebuild(stage, 'fills empty read tables');
    await stage.run('sync').printed(/this worker leads/);
    note(await bulkUpdate(stage));
  } finally {
    await stage.strike();
  }
}

async function measureOn(stage: SyncStage, note: Note): Promise<void> {
  note(await rebuild(stage, 'fills empty read tables'));
  note(await rebuild(stage, 'finds no changes'));

  const worker = stage.run('sync');
  await worker.printed(/this worker leads/);
  const address = await stage.run('api').printed(/"address":"([^"]+)"/);
  const visibility = new Visibility(stage.dashboard, stage.write, address);
  for (const [situation, [promisedMs, during]] of Object.entries(SITUATIONS)) {
    await during(stage, async () => {
      const edits = await visibility.ofEdits(EDITS);
      note(delay(`commit to visible, ${situation}`, edits, promisedMs));
      const revocations = await visibility.ofRevocations(REVOCATIONS);
      note(delay(`commit to 401, ${situation}`, revocations, promisedMs));
    });
  }
}
