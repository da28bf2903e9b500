import { appendFileSync, readFileSync } from 'node:fs';

/** What a test run was made on, or how many tests it left out for want of what. */
interface Note {
  readonly name: string;
  readonly description?: string;
  readonly leftOut?: number;
  readonly howToGetOne?: string;
}

/** Names the file in which the processes of one run collect their notes; a run in one process has none. */
export const NOTES_VARIABLE = 'TEST_RUN_NOTES';

let notes: Note[] = [];

/** A server or program of this name was used: its description, once for all tests. */
export function noteUse(name: string, description: string): void {
  notes.push({ name, description });
}

/** In the `before` hook of a `describe`: skips its tests, and has the run say at its end how many and why. */
export function leaveOut(context: Mocha.Context, name: string, howToGetOne: string): never {
  notes.push({ name, leftOut: context.test?.parent?.total() ?? 0, howToGetOne });
  return context.skip();
}

/** The same, but where CI=true it throws: nobody reads there what was left out. */
export function leaveOutUnlessCi(context: Mocha.Context, name: string, howToGetOne: string): never {
  if (process.env.CI === 'true') throw new Error(`There is no ${name} for the tests: ${howToGetOne}`);
  return leaveOut(context, name, howToGetOne);
}

/** After the tests of one process: it says its notes, or adds them to those of the run. */
export function handInNotes(): void {
  const file = process.env[NOTES_VARIABLE];
  if (file === undefined) say(notes);
  else appendFileSync(file, notes.map((note) => `${JSON.stringify(note)}\n`).join(''));
  notes = [];
}

/** After all processes of a run. */
export function sayNotesIn(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  say(lines.filter((line) => line !== '').map((line): Note => JSON.parse(line)));
}

function say(noted: readonly Note[]): void {
  const names = new Set(noted.map(({ name }) => name));
  for (const name of names) {
    const ofName = noted.filter((note) => note.name === name);
    const leftOut = ofName.reduce((sum, note) => sum + (note.leftOut ?? 0), 0);
    const found = new Set(ofName.flatMap(({ description }) => description ?? []));
    const missing = ofName.find(({ howToGetOne }) => howToGetOne !== undefined)?.howToGetOne;
    const text = leftOut > 0 ? `none, ${leftOut} tests left out (${missing})` : [...found].join(', ');
    process.stdout.write(`\n  ${name}: ${text}\n`);
  }
}
