import fc from 'fast-check';

/**
 * `npm test` tries the same cases on every run, so that only a change of the code can make it fail. `npm run
 * test:nightly` searches for new cases: it sets a seed and a number of runs. A failure prints both, and with them it
 * can be repeated.
 */
const seed = Number(process.env.PROPERTY_SEED ?? 20260115);
const runs = process.env.PROPERTY_RUNS;

fc.configureGlobal({
  seed,
  includeErrorInReport: true,
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
});
