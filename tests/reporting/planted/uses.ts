import { noteUse } from '../../support/run-notes.js';

/** What a run has started and handed over is described by its first note. */
export async function mochaGlobalSetup(): Promise<void> {
  noteUse('PostgreSQL', 'planted');
}

export const mochaHooks = {
  beforeAll() {
    noteUse('PostgreSQL', 'handed over');
  },
};

/** Says something later than every test, hook and reporter. */
export async function mochaGlobalTeardown(): Promise<void> {
  process.stdout.write('a server says goodbye\n');
}
