import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/**
 * `npm test` tries the same cases on every run, so that only a change of the code can make it fail. With a number of
 * runs, as `npm run test:nightly` has, new cases are searched. A failure prints its seed, with which it can be
 * repeated.
 */
const { PROPERTY_SEED: seed, PROPERTY_RUNS: runs } = process.env;

fc.configureGlobal({
  seed: Number(seed ?? (runs === undefined ? 20260115 : randomInt(2 ** 31))),
  includeErrorInReport: true,
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
});
