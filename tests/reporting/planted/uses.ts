import { noteUse } from '../../support/run-notes.js';

/** A server that a run has started and passed on is described by the first note. */
export async function mochaGlobalSetup(): Promise<void> {
  noteUse('PostgreSQL', 'planted');
}

export const mochaHooks = {
  beforeAll() {
    noteUse('PostgreSQL', 'handed over');
  },
};
