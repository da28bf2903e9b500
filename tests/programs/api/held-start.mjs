import cluster from 'node:cluster';

/**
 * An extension that keeps its program at a moment of the start: it sends a signal to its own process while it is bound, which Node hands on
 * once it has time, or its start does not end, in one of several processes from a number on.
 *
 * @type {import('../../../src/composition/extensions/extension.js').Extension}
 */
export default {
  name: 'held start',
  api({ bind, tokens, environment }) {
    const { SIGNALS_ITSELF, HELD_FROM_PROCESS } = environment;
    if (SIGNALS_ITSELF) process.kill(process.pid, SIGNALS_ITSELF);
    const isHeld = (cluster.worker?.id ?? 0) >= Number(HELD_FROM_PROCESS ?? Number.POSITIVE_INFINITY);
    bind(tokens.lifecycle).toConstantValue({ start: () => (isHeld ? new Promise(() => {}) : undefined) });
  },
};
