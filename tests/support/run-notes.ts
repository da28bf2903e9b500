import { appendFileSync, readFileSync } from 'node:fs';

/** A server or program that was used, or a test that was skipped and what it lacked. */
type Note =
  | { readonly used: string; readonly description: string }
  | { readonly skipped: string; readonly need: string };

/**
 * Names the file in which the processes of one run collect their notes. `run-reporter.ts` creates it and reports them
 * at the end.
 */
export const NOTES_VARIABLE = 'TEST_RUN_NOTES';

/** Notes that a server or program of this name was used. */
export function noteUse(name: string, description: string): void {
  note({ used: name, description });
}

/**
 * In a test, or in the `before` hook of a `describe` for all its tests: skips them and reports their need, as in "3
 * need PgBouncer".
 */
export function skipWithout(context: Mocha.Context, need: string): never {
  const test = context.runnable() as Mocha.Hook | Mocha.Test;
  const skipped = test.type === 'hook' ? testsOf(test.parent) : [test];
  for (const each of skipped) note({ skipped: keyOf(each), need });
  return context.skip();
}

/** The same, but throws with CI=true: nothing may be missing there. */
export function skipUnlessCi(context: Mocha.Context, need: string): never {
  if (process.env.CI === 'true') throw new Error(`The tests need ${need}`);
  return skipWithout(context, need);
}

/** Identifies a test in every process of a run. */
export function keyOf(test: Pick<Mocha.Runnable, 'file' | 'fullTitle'>): string {
  return `${test.file}: ${test.fullTitle()}`;
}

/** What was used, by name. What the run itself started is noted first, before the processes that receive it. */
export function usesIn(file: string): ReadonlyMap<string, string> {
  const uses = notesIn(file).flatMap((each) =>
    'used' in each ? [[each.used, each.description] as const] : [],
  );
  return new Map(uses.toReversed());
}

/** The needs of the skipped tests, by test. */
export function needsIn(file: string): ReadonlyMap<string, string> {
  return new Map(
    notesIn(file).flatMap((each) => ('skipped' in each ? [[each.skipped, each.need] as const] : [])),
  );
}

function note(written: Note): void {
  const file = process.env[NOTES_VARIABLE];
  // The variable is not set in a program that uses servers of the tests, such as a benchmark.
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(written)}\n`);
}

function notesIn(file: string): readonly Note[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line): Note => JSON.parse(line));
}

function testsOf(suite: Mocha.Suite | undefined): readonly Mocha.Test[] {
  const tests: Mocha.Test[] = [];
  suite?.eachTest((test) => tests.push(test));
  return tests;
}
