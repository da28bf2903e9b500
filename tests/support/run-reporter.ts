import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Mocha from 'mocha';
import { keyOf, NOTES_VARIABLE, needsIn, usesIn } from './run-notes.js';

/** Marks the title of a test that a suite cannot run for its subject. */
const NEED_IN_TITLE = / \(needs (.+)\)$/;

/**
 * Mocha's own report, then the servers and programs that the run used, and a last line with the numbers of passed,
 * failed and skipped tests and the reasons. A test that is skipped without a reason counts as failed.
 */
export default class RunReporter extends Mocha.reporters.Spec {
  readonly #skipped: Mocha.Test[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'blog-read-api-run-'));
  readonly #notes = join(this.#folder, 'notes');

  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    writeFileSync(this.#notes, '');
    // Further processes of the run start later and read this variable.
    process.env[NOTES_VARIABLE] = this.#notes;
    runner.on(Mocha.Runner.constants.EVENT_TEST_PENDING, (test) => this.#skipped.push(test));
  }

  /** Mocha calls this after everything else, including its global teardown. */
  override done(failures: number, end: (failures: number) => void): void {
    const uses = usesIn(this.#notes);
    const needs = needsIn(this.#notes);
    rmSync(this.#folder, { recursive: true });
    const needOf = (test: Mocha.Test) =>
      needs.get(keyOf(test)) ?? NEED_IN_TITLE.exec(test.title)?.[1] ?? null;
    const unexplained = this.#skipped.filter((test) => needOf(test) === null);
    const failed = failures + unexplained.length;
    const lines = [
      ...[...uses].map(([name, description]) => `${name}: ${description}`),
      ...unexplained.map((test) => `Skipped without a reason, see run-notes.ts: ${keyOf(test)}`),
      summary(
        this.stats.passes,
        failed,
        this.#skipped.flatMap((test) => needOf(test) ?? []),
      ),
    ];
    process.stdout.write(`${lines.map((line) => `  ${line}\n`).join('')}`);
    end(failed);
  }
}

function summary(passed: number, failed: number, needs: readonly string[]): string {
  const counts = `${grouped(passed)} passed, ${grouped(failed)} failed, ${grouped(needs.length)} skipped`;
  if (needs.length === 0) return counts;
  const reasons = [...new Set(needs)].map((need) => {
    const count = needs.filter((each) => each === need).length;
    return `${grouped(count)} ${count === 1 ? 'needs' : 'need'} ${need}`;
  });
  return `${counts}: ${reasons.join(', ')}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
