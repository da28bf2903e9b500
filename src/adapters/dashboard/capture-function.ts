import { readdir, readFile } from 'node:fs/promises';

const DEFINITION =
  /create (?:or replace )?(function content_sync\.capture\(\)[\s\S]*?as \$\$([\s\S]*?)\$\$;)/g;

/** The function behind all triggers of the change capture, as this version has it. */
export interface CaptureFunction {
  readonly statement: string;
  readonly body: string;
}

/** As the last of the migrations in a directory makes it. */
export async function captureFunctionIn(directory: URL): Promise<CaptureFunction> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  const migrations = await Promise.all(files.map((file) => readFile(new URL(file, directory), 'utf8')));
  const [, definition = '', body = ''] = [...migrations.join('\n').matchAll(DEFINITION)].at(-1) ?? [];
  return { statement: `create or replace ${definition}`, body };
}
