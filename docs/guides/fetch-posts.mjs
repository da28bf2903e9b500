/**
 * Keeps a copy of all published blogs in the folder `posts`, one file for each: all of them on the first run, then the changed ones.
 * docs/guides/using-the-api.md explains it. Settings: API, KEY, and MINUTES for checking posts that look unchanged.
 * `--website ID` copies the blogs of one website.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { API, KEY, MINUTES = '5' } = process.env;
const { website } = parseArgs({ options: { website: { type: 'string' } } }).values;
const end = Date.now() + Number(MINUTES) * 60_000;
const counts = { requests: 0, written: 0, unchanged: 0, removed: 0 };
/** A timer may fire a little early, and the clock of the server may be a little behind. */
const MARGIN_MS = 20;
let nextRequestAt = 0;

/** Waits before a request that would exceed the limit, and repeats a request that did. */
async function send(path, { method = 'GET', etag } = {}) {
  for (;;) {
    await pause(nextRequestAt - Date.now());
    const headers = { 'X-API-Key': KEY, ...(etag !== undefined && { 'If-None-Match': etag }) };
    const answer = await fetch(`${API}${path}`, { method, headers });
    counts.requests += 1;
    if (answer.headers.get('X-RateLimit-Remaining') === '0') {
      nextRequestAt = Number(answer.headers.get('X-RateLimit-Reset')) + MARGIN_MS;
    }
    if ([200, 304, 404].includes(answer.status)) return answer;
    if (answer.status !== 429) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    nextRequestAt = Date.now() + Number(answer.headers.get('Retry-After')) * 1000;
  }
}

const generationOf = (answer) => Number(answer.headers.get('X-Content-Generation'));

/** The list entry of each blog, by its id. */
async function listed() {
  const entries = new Map();
  const filter = website === undefined ? '' : `&website_id=${encodeURIComponent(website)}`;
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data, pagination } = await (await send(`/blogs?limit=100&page=${page}${filter}`)).json();
    for (const entry of data) entries.set(entry.id, JSON.stringify(entry));
    pages = pagination.pages;
  }
  return entries;
}

/** Which blogs there are: their ids, the website, and the generation in which they were listed. */
const LIST = 'posts/list';
const fileOf = (id) => `posts/${encodeURIComponent(id)}.json`;

/** If the script is stopped, no file is incomplete. */
async function write(path, content) {
  await writeFile(`${path}.part`, JSON.stringify(content));
  await rename(`${path}.part`, path);
}

/** The list of the previous run, if it is complete and of this website. */
async function keptList() {
  const list = JSON.parse(await readFile(LIST, 'utf8').catch(() => 'null'));
  return list !== null && list.website === website ? list : { generation: 0, ids: [] };
}

/** The stored file of each blog, by its id. */
async function keptFiles() {
  const files = new Map();
  for (const name of await readdir('posts')) {
    if (!name.endsWith('.json')) continue;
    const file = JSON.parse(await readFile(`posts/${name}`, 'utf8'));
    files.set(file.blog.id, file);
  }
  return files;
}

async function refresh(id) {
  const file = files.get(id);
  const answer = await send(`/blogs/${encodeURIComponent(id)}`, { etag: file?.etag });
  const blog = answer.status === 304 ? file.blog : (await answer.json()).data;
  // A blog may have moved to another website.
  if (answer.status === 404 || (website !== undefined && blog.websiteId !== website)) {
    await rm(fileOf(id), { force: true });
    counts.removed += 1;
    return;
  }
  counts[answer.status === 304 ? 'unchanged' : 'written'] += 1;
  const etag = answer.headers.get('ETag');
  await write(fileOf(id), { entry: entries.get(id), etag, generation: generationOf(answer), blog });
}

await mkdir('posts', { recursive: true });
const files = await keptFiles();
const list = await keptList();
const generation = generationOf(await send('/tags', { method: 'HEAD' }));
const isListed = list.generation === generation;
const entries = isListed ? new Map(list.ids.map((id) => [id, files.get(id)?.entry])) : await listed();
const ids = [...new Set([...entries.keys(), ...files.keys()])];

// First the blogs that are new, or have changed in the lists, or are missing there.
const isAsListed = (id) => entries.has(id) && files.has(id) && files.get(id).entry === entries.get(id);
for (const id of ids.filter((id) => !isAsListed(id))) await refresh(id);
await write(LIST, { website, generation, ids: [...entries.keys()] });

// The content of the others may have changed too. Those that were checked longest ago come first.
const others = ids
  .filter((id) => isAsListed(id) && files.get(id).generation < generation)
  .sort((one, other) => files.get(one).generation - files.get(other).generation);
for (const id of others) {
  if (Math.max(Date.now(), nextRequestAt) >= end) break;
  await refresh(id);
}

console.log(
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
);
