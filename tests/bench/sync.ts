import { delay, type Note } from './figures.js';
import { aroundIt, bulkUpdate, fanOuts, rebuild, rebuilds } from './long-work.js';
import { BLOGS, SyncStage } from './sync-stage.js';
import { Visibility } from './visibility.js';

const EDITS = 100;
const REVOCATIONS = 50;
const MOVES = 4;
/** Of the website that changes hands. */
const OWNERS = 2;
const PROMISED_EDIT_MS = 300;
const PROMISED_REVOCATION_MS = 250;
const PROMISED_MOVE_MS = 1_000;

const SITUATIONS = {
  'nothing else going on': (_stage: SyncStage, measure: () => Promise<void>) => measure(),
  'a fan-out going on': (stage: SyncStage, measure: () => Promise<void>) => aroundIt(fanOuts(stage), measure),
  'a rebuild going on': (stage: SyncStage, measure: () => Promise<void>) =>
    aroundIt(rebuilds(stage), measure),
};

export async function measureSync(note: Note): Promise<void> {
  const stage = await SyncStage.set(Object.keys(SITUATIONS).length * (REVOCATIONS + 1) + OWNERS);
  try {
    await measureOn(stage, note);
  } finally {
    await stage.strike();
  }
}

async function measureOn(stage: SyncStage, note: Note): Promise<void> {
  note(...(await rebuild(stage, 'fills empty read tables')));
  note(...(await rebuild(stage, 'reads what is there already')));

  const worker = stage.run('sync');
  await worker.printed(/this worker leads/);
  const address = await stage.run('api').printed(/"address":"([^"]+)"/);
  const visibility = new Visibility(stage.dashboard, stage.write, address);
  for (const [situation, during] of Object.entries(SITUATIONS)) {
    await during(stage, async () => {
      const edits = await visibility.ofEdits(EDITS);
      note(delay(`commit to visible, ${situation}`, edits, PROMISED_EDIT_MS));
      const revocations = await visibility.ofRevocations(REVOCATIONS);
      note(delay(`commit to 401, ${situation}`, revocations, PROMISED_REVOCATION_MS));
    });
  }
  note(await bulkUpdate(stage));
  const moves = await visibility.ofMoves('web_large', MOVES);
  note(
    delay(
      `website of ${BLOGS} blogs changes hands, until its former owner sees none`,
      moves,
      PROMISED_MOVE_MS,
    ),
  );
}
