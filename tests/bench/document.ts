import { readFile, writeFile } from 'node:fs/promises';

const DOCUMENT = new URL('../../docs/performance.md', import.meta.url);

/** Puts a table where docs/performance.md has the marks of this name. */
export async function putIntoDocument(name: string, table: string): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8');
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*(<!-- /${name} -->)`);
  await writeFile(
    DOCUMENT,
    text.replace(marked, (_, begin, end) => `${begin}${table}\n${end}`),
  );
}
