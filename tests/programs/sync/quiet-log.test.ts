import { expect } from 'chai';
import { QuietLog } from '../../../src/programs/sync/quiet-log.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

describe('The log of a worker', () => {
  it('has one line for each cause, and repeats it at growing intervals', () => {
    const lines = new RecordingLog();
    let now = 0;
    const log = new QuietLog(lines, () => now);
    const failing = (reason: string) =>
      log.error('a job failed', { error: new Error(`select ${'x'.repeat(5_000)} - ${reason}`) });
    for (; now < 15 * 60_000; now += 1_000) failing("Unknown column 'title'");
    failing('Unknown table');
    log.error('rows are quarantined', { rows: 3 });
    log.error('rows are quarantined', { rows: 3 });

    expect(lines.messages).to.have.lengthOf(7 + 1 + 2);
    expect(lines.lines[0]?.details).to.include({ reason: "Unknown column 'title'" });
    expect(lines.lines[1]?.details).to.include({ repeated: 9 });
  });
});
