const READING = { server: 'one', isStandby: false, syncAgeMs: 0, newest: 0, raised: [], current: new Map() };

/**
 * An extension with an empty read model, for the commands of operators.
 *
 * @type {import('../../src/composition/extensions/extension.js').Extension}
 */
export default {
  name: 'a read model of our own',
  worker(bind) {
    bind('leadership', () => ({ claim: async () => null }));
    bind('readModelWriter', () => ({
      write: unasked,
      differing: unasked,
      hiddenWebsites: unasked,
      nextOrganizations: unasked,
      keys: unasked,
      anotherRow: unasked,
      unshown: unasked,
      countUnshown: unasked,
      dueRows: unasked,
    }));
    bind('jobQueue', () => ({
      next: unasked,
      requestEverything: unasked,
      retryWaiting: unasked,
      find: unasked,
      unfinished: unasked,
    }));
    bind('syncNotes', () => ({
      identity: unasked,
      lastIdentity: async () => null,
      remember: unasked,
      noteCapture: unasked,
    }));
    bind('generationTable', () => ({ read: async () => READING }));
    return { healthChecks: [new Answering()] };
  },
};

/** @returns {Promise<never>} */
async function unasked() {
  throw new Error('No command of operators needs this');
}

class Answering {
  name = 'ownStore';
  #isWell = true;

  async run() {
    if (!this.#isWell) throw new Error('It is not well');
  }
}
