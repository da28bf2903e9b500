import cluster from 'node:cluster';

// A signal that stops takes effect at once, while the other modules still load.
if (cluster.worker?.id === Number(process.env.STOPS_PROCESS)) process.kill(process.pid, 'SIGSTOP');

/**
 * An extension that holds its program during the start. With `SIGNALS_ITSELF` it sends this signal to its own process
 * while it is bound; Node delivers the signal later. With `HELD_FROM_PROCESS` its start never ends in the processes
 * from this number on. With `STOPS_PROCESS` the process with this number stops while it loads.
 *
 * @type {import('../../../src/composition/extensions/extension.js').Extension}
 */
export default {
  name: 'held start',
  api(_, environment) {
    const { SIGNALS_ITSELF, HELD_FROM_PROCESS } = environment;
    if (SIGNALS_ITSELF) process.kill(process.pid, SIGNALS_ITSELF);
    const isHeld = (cluster.worker?.id ?? 0) >= Number(HELD_FROM_PROCESS ?? Number.POSITIVE_INFINITY);
    return { start: () => (isHeld ? new Promise(() => {}) : undefined) };
  },
};
