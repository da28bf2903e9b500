import { ok } from 'node:assert/strict';
import { type Api, ConfigurationError, createApi, createSyncWorker } from 'blog-content-read-api';
import type { Extension } from 'blog-content-read-api/extensions';
import ownStore from '../support/programs/own-store.mjs';

/** A program as a team writes it. It ends by itself only if it leaves nothing open. A test reads its output. */
const [databases, mode] = process.argv.slice(2);
const settings = { ...JSON.parse(databases ?? '{}'), LOG_LEVEL: 'silent', ADMIN_PORT: '0' };
const ofApi = { ...settings, PORT: '0', HOST: '127.0.0.1' };
/** A value as JavaScript without types would pass it. */
const NO_EXTENSION = JSON.parse('{ "name": 1 }');
const before = surroundings();

if (mode === 'run') await run();
if (mode === 'fail') await fail();
ok(surroundings() === before, `${surroundings()}, not ${before}`);
console.log('done');

async function run() {
  const own = (tags: string) => ({ settings: { ...ofApi, OWN_TAGS: tags }, extensions: [ownStore] });
  const first = await createApi(own('a'));
  const second = await createApi(own('b'));
  const apis: readonly Api[] = [first, second, await createApi({ settings: ofApi })];
  const workers = [await createSyncWorker({ settings }), await createSyncWorker({ settings })];
  const programs = [...apis, ...workers];
  await Promise.all(programs.map((program) => program.start()));
  for (const { address } of apis) console.log(await tagsOf(address));
  for (const { adminAddress } of programs) console.log((await fetch(`${adminAddress}/livez`)).status);
  // A stopped program is gone, and the others continue.
  const { address: gone } = first;
  await Promise.all([first.stop(), first.stop()]);
  console.log(await tagsOf(gone).catch(() => 'gone'), await tagsOf(second.address));
  await Promise.all(programs.map((program) => program.stop()));
}

async function fail() {
  const unused = [await createApi({ settings: ofApi }), await createSyncWorker({ settings })];
  await Promise.all(unused.map((program) => program.stop()));

  const first = await createApi({ settings: ofApi });
  await first.start();
  const taken = await createApi({ settings: { ...ofApi, PORT: new URL(first.address).port } });
  console.log((await reasonOf(taken.start())).replace(/\d+/, '…'));
  console.log(await reasonOf(first.start()));
  await Promise.all([taken.stop(), first.stop()]);
  console.log(await reasonOf(first.start()));

  const wrong = { ...settings, PORT: 'x', SYNC_POLL_MS: 'x' };
  const withoutStore: Extension = {
    api: (bind) => bind('generationTable', noStore),
    worker: (bind) => bind('generationTable', noStore),
  };
  for (const create of [createApi, createSyncWorker]) {
    console.log((await problemsOf(create({ settings: wrong, extensions: [NO_EXTENSION] }))).join('; '));
    console.log((await problemsOf(create({ settings: ofApi, extensions: [withoutStore] }))).join('; '));
  }
}

function noStore(): never {
  throw new Error('there is no store');
}

async function tagsOf(address: string): Promise<string> {
  const answer = await fetch(`${address}/api/v1/tags`, {
    headers: { 'X-API-Key': 'brk_any-key-of-this-store' },
  });
  if (!answer.ok) return String(answer.status);
  const { data }: { data: readonly { name: string }[] } = JSON.parse(await answer.text());
  return data.map(({ name }) => name).join();
}

async function reasonOf(started: Promise<unknown>): Promise<string> {
  const error = await started.catch((reason: unknown) => reason);
  ok(error instanceof Error, String(error));
  return error.message;
}

async function problemsOf(created: Promise<unknown>): Promise<readonly string[]> {
  const error = await created.catch((reason: unknown) => reason);
  ok(error instanceof ConfigurationError, String(error));
  return error.problems;
}

/** The state that a program shares with everything else in its process. */
function surroundings(): string {
  const listeners = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'].map((event) =>
    process.listenerCount(event),
  );
  return JSON.stringify([listeners, process.exitCode ?? null, process.env, Object.keys(globalThis)]);
}
