import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { expectRightAnswer, startFuzzedApi } from './fuzzed-api.js';
import { anyRequest } from './generated-requests.js';

/** npm run fuzz -- --seed N --requests N: prints the seed first, and the smallest request that fails. */
const { values } = parseArgs({ options: { seed: { type: 'string' }, requests: { type: 'string' } } });
const seed = Number(values.seed ?? randomInt(2 ** 31));
const requests = Number(values.requests ?? 20_000);
process.stdout.write(`--seed ${seed} --requests ${requests}\n`);

const api = await startFuzzedApi('memory');
const property = fc.asyncProperty(anyRequest(), (request) => expectRightAnswer(api, request));
const outcome = await fc.check(property, { seed, numRuns: requests });
process.stdout.write(
  outcome.failed ? `${fc.defaultReportMessage(outcome)}\n` : `${outcome.numRuns} requests, no failure\n`,
);
process.exitCode = outcome.failed ? 1 : 0;
await api.stop();
