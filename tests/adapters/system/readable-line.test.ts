import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { openLog } from '../../../src/adapters/system/pino-log.js';
import { readableLine } from '../../../src/adapters/system/readable-line.js';
import { eventually } from '../../../src/contracts/support/eventually.js';

const readable = (line: object) => stripVTControlCharacters(readableLine(JSON.stringify(line)));

describe('A log line for people', () => {
  it('has the time, the level, the process and the message, and its details', () => {
    const time = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
    expect(readable({ level: 40, time, pid: 7, msg: 'too slow', ms: 12, id: 'a\nb' })).to.equal(
      '[03:04:05.006] WARN (7): too slow  ms: 12  id: "a\\nb"\n',
    );
  });

  it('breaks the lines of a stack', () => {
    const error = { message: 'no', stack: 'at a\nat b' };
    expect(readable({ level: 50, time: 0, msg: 'failed', error })).to.match(/"stack": "at a\n {4}at b"/);
  });

  it('is written if LOG_PRETTY requires it, or at a terminal if it requires nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-log-'));
    for (const [logPretty, isTTY, expected] of [
      [true, false, /INFO.*listening/],
      [null, true, /INFO.*listening/],
      [null, false, /^\{.*"msg":"listening"/],
      [false, true, /^\{.*"msg":"listening"/],
    ] as const) {
      const path = join(folder, `${logPretty} ${isTTY}`);
      const fd = openSync(path, 'w');
      openLog({ logLevel: 'info', logPretty }, { fd, isTTY }).info('listening');
      await eventually(async () => expect(await readFile(path, 'utf8')).to.match(expected));
      closeSync(fd);
    }
    await rm(folder, { recursive: true });
  });
});
