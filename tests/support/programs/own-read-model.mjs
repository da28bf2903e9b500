/**
 * An extension with an empty read model, for the commands of operators.
 *
 * @type {import('../../../src/composition/extensions/extension.js').Extension}
 */
export default {
  name: 'a read model of our own',
  worker({ bind, tokens }) {
    bind(tokens.healthCheck).toConstantValue(new Answering());
  },
  session({ bind, tokens }) {
    bind(tokens.leadership).toConstantValue({ claim: async () => null });
    bind(tokens.readModelWriter).toConstantValue({
      write: unasked,
      differing: unasked,
      hiddenWebsites: unasked,
      raisedBefore: unasked,
      nextOrganizations: unasked,
      keys: unasked,
    });
    bind(tokens.jobQueue).toConstantValue({
      next: unasked,
      requestEverything: unasked,
      count: unasked,
      find: unasked,
      unfinished: async () => [
        { id: 1, scope: { of: 'tags', keys: ['a', 'b'] }, progress: null, attempts: 3 },
        {
          id: 2,
          scope: { of: 'everything' },
          progress: { stage: 1, after: 'x', done: 5, total: 10 },
          attempts: 0,
        },
      ],
    });
    bind(tokens.syncNotes).toConstantValue({
      identity: unasked,
      known: async () => null,
      remember: unasked,
      noteCapture: unasked,
    });
    bind(tokens.generationTable).toConstantValue({
      current: unasked,
      above: async () => [],
      newest: unasked,
    });
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
