import { findProgram } from '../../support/find-program.js';
import { noteUse, skipUnlessCi } from '../../support/run-notes.js';

/**
 * For the `before` hook of a `describe` that needs a real PgBouncer: returns the path of the program. Without one its
 * tests are skipped.
 */
export async function pgBouncerForTests(context: Mocha.Context): Promise<string> {
  const program = findProgram('pgbouncer');
  if (program === null) return skipUnlessCi(context, 'PgBouncer (install pgbouncer)');
  noteUse('PgBouncer', program);
  return program;
}
