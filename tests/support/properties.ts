import fc from 'fast-check';

/**
 * `npm test` tries the same cases on every run, so that it goes red for what was changed and for nothing else. New cases are
 * looked for by `npm run test:nightly`, which says a seed and a number of runs; a failure prints both, and they bring it back.
 */
const seed = Number(process.env.PROPERTY_SEED ?? 20260115);
const runs = process.env.PROPERTY_RUNS;

fc.configureGlobal({
  seed,
  includeErrorInReport: true,
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
});
