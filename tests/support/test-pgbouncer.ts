import { findProgram } from './find-program.js';

const HOW_TO_GET_ONE = 'install pgbouncer';

let found: string | null = null;
let testsLeftOut = 0;

/**
 * For the `before` hook of a `describe` that needs a real PgBouncer: the path of the program. Without one its tests are
 * skipped; where CI=true they fail, since nobody reads there what was left out.
 */
export async function pgBouncerForTests(context: Mocha.Context): Promise<string> {
  found ??= await findProgram('pgbouncer');
  if (found !== null) return found;
  if (process.env.CI === 'true') throw new Error(`There is no PgBouncer for the tests: ${HOW_TO_GET_ONE}`);
  testsLeftOut += context.test?.parent?.total() ?? 0;
  return context.skip();
}

/** The PgBouncer of this run, or what it left out without; null when no test asked for one. */
export function describeTestPgBouncer(): string | null {
  if (testsLeftOut > 0) return `none, ${testsLeftOut} tests left out (${HOW_TO_GET_ONE})`;
  return found;
}
