import { byTurns } from './by-turns.js';
import { atMost, median, type Note } from './figures.js';
import { LIST, ReadStage } from './read-stage.js';

const PROCESSES = 4;
const CONNECTIONS_OF_EACH = 32;
const PROMISED = 1.1;
/** Each process has to compile its code by itself. */
const WARM_UP_REQUESTS = 20_000;

/** By the processor time, which tells on a machine with fewer processors, too. Each process has as many connections as one that is alone. */
export async function measureProcesses(note: Note): Promise<void> {
  const stage = await ReadStage.set();
  try {
    const [one, several] = [await stage.processes(1), await stage.processes(PROCESSES)];
    for (const [server, count] of [[one, 1] as const, [several, PROCESSES] as const]) {
      await stage.load.warmUp({
        address: server.address,
        keys: stage.keys,
        path: LIST,
        connections: count * CONNECTIONS_OF_EACH,
        until: { amount: count * WARM_UP_REQUESTS },
      });
    }
    const taken = await byTurns(stage, {
      one: { server: one, path: LIST, connections: CONNECTIONS_OF_EACH },
      several: { server: several, path: LIST, connections: PROCESSES * CONNECTIONS_OF_EACH },
    });
    const microseconds = (name: string) => median((taken.get(name) ?? []).map((each) => each.microseconds));
    const ratio = microseconds('several') / microseconds('one');
    const figure = atMost(
      `processor time of a HIT in ${PROCESSES} processes, of that in one`,
      ratio,
      PROMISED,
    );
    const told = `${microseconds('several').toFixed(0)} : ${microseconds('one').toFixed(0)} µs`;
    note({ ...figure, measured: `${figure.measured} (${told})` });
  } finally {
    await stage.strike();
  }
}
