/**
 * Keeps a copy of all published blogs in the folder `posts`, one file for each: all of them on the first run, then the changed ones.
 * docs/guides/using-the-api.md explains it. Settings: API, KEY, and MINUTES for checking posts that look unchanged.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const { API, KEY, MINUTES = '5' } = process.env;
const end = Date.now() + Number(MINUTES) * 60_000;
const counts = { requests: 0, written: 0, unchanged: 0, removed: 0 };
/** A timer may fire a little early, and the clock of the server may be a little behind. */
const MARGIN_MS = 20;
let nextRequestAt = 0;

/** Waits before a request that would exceed the limit, and repeats a request that did. */
async function get(path, etag = '') {
  for (;;) {
    await pause(nextRequestAt - Date.now());
    const headers = { 'X-API-Key': KEY, ...(etag !== '' && { 'If-None-Match': etag }) };
    const answer = await fetch(`${API}${path}`, { headers });
    counts.requests += 1;
    if (answer.headers.get('X-RateLimit-Remaining') === '0') {
      nextRequestAt = Number(answer.headers.get('X-RateLimit-Reset')) + MARGIN_MS;
    }
    if ([200, 304, 404].includes(answer.status)) return answer;
    if (answer.status !== 429) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    nextRequestAt = Date.now() + Number(answer.headers.get('Retry-After')) * 1000;
  }
}

/** The list entry of each blog, by its id. */
async function listed() {
  const entries = new Map();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data, pagination } = await (await get(`/blogs?limit=100&page=${page}`)).json();
    for (const entry of data) entries.set(entry.id, JSON.stringify(entry));
    pages = pagination.pages;
  }
  return entries;
}

const fileOf = (id) => `posts/${encodeURIComponent(id)}.json`;

/** The stored file of each blog, by its id, with the time of its last check. */
async function kept() {
  const files = new Map();
  for (const name of await readdir('posts')) {
    if (!name.endsWith('.json')) continue;
    const { mtimeMs: seenAt } = await stat(`posts/${name}`);
    const file = JSON.parse(await readFile(`posts/${name}`, 'utf8'));
    files.set(file.blog.id, { ...file, seenAt });
  }
  return files;
}

async function refresh(id) {
  const file = files.get(id);
  const answer = await get(`/blogs/${encodeURIComponent(id)}`, file?.etag);
  if (answer.status === 404) {
    await rm(fileOf(id), { force: true });
    counts.removed += 1;
    return;
  }
  const blog = answer.status === 304 ? file.blog : (await answer.json()).data;
  counts[answer.status === 304 ? 'unchanged' : 'written'] += 1;
  const content = JSON.stringify({ entry: entries.get(id), etag: answer.headers.get('ETag'), blog });
  // If the script is stopped here, no file is incomplete.
  await writeFile(`${fileOf(id)}.part`, content);
  await rename(`${fileOf(id)}.part`, fileOf(id));
}

await mkdir('posts', { recursive: true });
const files = await kept();
const entries = await listed();
const ids = [...new Set([...entries.keys(), ...files.keys()])];

// First the blogs that are new, or have changed in the lists, or are missing there.
const isAsListed = (id) => entries.has(id) && files.get(id)?.entry === entries.get(id);
for (const id of ids.filter((id) => !isAsListed(id))) await refresh(id);

// The content of the others may have changed too. Those that were checked longest ago come first.
const others = ids.filter(isAsListed).sort((one, other) => files.get(one).seenAt - files.get(other).seenAt);
for (const id of others) {
  if (Math.max(Date.now(), nextRequestAt) >= end) break;
  await refresh(id);
}

console.log(
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
);
