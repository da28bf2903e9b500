export async function millisecondsOf(work: () => PromiseLike<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** The times of two contenders, measured in turn. Each is first equally often. */
export async function inTurn<Contender>(
  contenders: readonly [Contender, Contender],
  rounds: number,
  time: (contender: Contender, round: number) => Promise<number>,
): Promise<readonly [one: readonly number[], other: readonly number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[which].push(await time(contenders[which], round));
    }
  }
  return times;
}
