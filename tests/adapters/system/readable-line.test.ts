import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { readableLine } from '../../../src/adapters/system/readable-line.js';

const readable = (line: object) => stripVTControlCharacters(readableLine(JSON.stringify(line)));

describe('A log line for people', () => {
  it('has the time, the level, the process and the message, and a line for each detail', () => {
    const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
    expect(readable({ level: 40, time, pid: 7, msg: 'too slow', ms: 12, id: 'a\nb' })).to.equal(
      '[03:04:05.006] WARN (7): too slow\n    ms: 12\n    id: "a\\nb"\n',
    );
  });

  it('breaks the lines of a stack', () => {
    const error = { message: 'no', stack: 'at a\nat b' };
    expect(readable({ level: 50, time: 0, msg: 'failed', error })).to.match(/"stack": "at a\n {4}at b"/);
  });
});
