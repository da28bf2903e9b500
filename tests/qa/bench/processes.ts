import { atMost, median, type Note } from './figures.js';
import type { MeasuredServer } from './measured-server.js';
import { LIST, ReadStage } from './read-stage.js';

const PROCESSES = 4;
const CONNECTIONS_OF_EACH = 16;
const PER_SECOND_OF_EACH = 1_000;
const SECONDS = 3;
const ROUNDS = 7;
const PROMISED = 1.1;
/** Each process has to compile its code separately. */
const WARM_UP_REQUESTS = 20_000;

/**
 * Compares processor time, which is meaningful on a machine with few processors, too. Each process receives as many
 * requests as a single one, at a pace that leaves processors idle: otherwise the processes and the load would compete
 * for processors, and the ratio would depend on the machine. Requests that arrive together cost less each, so unequal
 * loads do not compare either.
 */
export async function measureProcesses(note: Note): Promise<void> {
  const stage = await ReadStage.set();
  try {
    const contenders = [
      { server: await stage.processes(1), count: 1, taken: [] as number[] },
      { server: await stage.processes(PROCESSES), count: PROCESSES, taken: [] as number[] },
    ] as const;
    for (const { server, count } of contenders) {
      await stage.load.warmUp({
        address: server.address,
        keys: stage.keys,
        path: LIST,
        connections: count * CONNECTIONS_OF_EACH,
        until: { amount: count * WARM_UP_REQUESTS },
      });
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const { server, count, taken } of contenders)
        taken.push(await microsecondsOf(stage, server, count));
    }
    const [one, several] = contenders.map(({ taken }) => median(taken)) as [number, number];
    const figure = atMost(
      `processor time of a HIT in ${PROCESSES} processes, of that in one, at ${PER_SECOND_OF_EACH} requests a second each`,
      several / one,
      PROMISED,
    );
    const details = `${several.toFixed(0)} : ${one.toFixed(0)} µs`;
    note({ ...figure, measured: `${figure.measured} (${details})` });
  } finally {
    await stage.strike();
  }
}

async function microsecondsOf(stage: ReadStage, server: MeasuredServer, count: number): Promise<number> {
  const before = await server.processorTime();
  const requests = await stage.load.sendAtPace({
    address: server.address,
    keys: stage.keys,
    path: LIST,
    connections: count * CONNECTIONS_OF_EACH,
    perSecond: count * PER_SECOND_OF_EACH,
    seconds: SECONDS,
  });
  return (((await server.processorTime()) - before) * 1000) / requests;
}
