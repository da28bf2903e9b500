import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

/** What the hook and CI run for each commit. */
function check(message: string) {
  const { status, stderr } = spawnSync('.ci/check-commit-message', { input: message, encoding: 'utf8' });
  return { status, stderr };
}

describe('A commit message', () => {
  for (const message of [
    'State how fast it is, and which promises are missed',
    'docs/extending.md describes the install script of a dependency',
    '`npm test` reports what was skipped: nobody counted it\n\nThe text says why.',
    "Merge branch 'main'",
  ]) {
    it(`may be “${message.split('\n')[0]}”`, () => {
      expect(check(message)).to.eql({ status: 0, stderr: '' });
    });
  }

  for (const [message, reason] of [
    ['Fix', 'the subject has fewer than 15 characters'],
    [
      `Totals are counted again ${'in stretches '.repeat(5)}at night`,
      'the subject has more than 72 characters',
    ],
    ['Totals are counted again\nin stretches', 'the second line is not empty'],
    ['Totals are counted again in stretches.', 'the subject ends with a full stop'],
    ['fixup! Totals are counted again', 'squash it before it is shared'],
    ['feat(sync): count totals again', 'say it in a sentence, without a type'],
  ] as const) {
    it(`may not be “${message.split('\n')[0]}”`, () => {
      const { status, stderr } = check(message);
      expect(stderr).to.contain(reason);
      expect(status).to.equal(1);
    });
  }
});
