import { readFile, writeFile } from 'node:fs/promises';

const DOCUMENT = new URL('../../../docs/performance.md', import.meta.url);

/** Writes a table between the marks of this name in docs/performance.md. */
export async function putIntoDocument(name: string, table: string): Promise<void> {
  const text = await readFile(DOCUMENT, 'utf8');
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*(<!-- /${name} -->)`);
  await writeFile(
    DOCUMENT,
    text.replace(marked, (_, begin, end) => `${begin}${table}\n${end}`),
  );
}
