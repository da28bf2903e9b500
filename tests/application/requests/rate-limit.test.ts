import { expect } from 'chai';
import { ProcessWindows } from '../../../src/application/requests/process-windows.js';
import { RateLimit } from '../../../src/application/requests/rate-limit.js';
import type { WindowState } from '../../../src/domain/model/window.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

const WINDOW = { limit: 5, lengthMs: 60_000 };
const KEY = { id: 'key', organizationId: 'org' };

describe('RateLimit', () => {
  let clock: SettableClock;
  let shared: WindowState | null;
  let recorded: number;
  let replyMs: number;
  let limit: RateLimit;

  const forgets = (accepted = true): WindowState => {
    const now = clock.now();
    return { accepted, count: 1, oldestAt: now, blockingAt: now, now };
  };
  const admit = async (key = KEY) => limit.limit(key);

  beforeEach(() => {
    clock = new SettableClock();
    shared = null;
    recorded = 0;
    replyMs = 0;
    const record = async () => {
      recorded++;
      clock.advance(replyMs);
      return shared;
    };
    limit = new RateLimit(new ProcessWindows(WINDOW, clock), { record, recordsWithinMs: 100 }, WINDOW);
  });

  it('admits as many as the limit while the shared log forgets each request, also concurrent ones', async () => {
    shared = forgets();
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => admit()));
    expect(verdicts.filter(({ admitted }) => admitted)).to.have.length(WINDOW.limit);
    expect(verdicts.map(({ remaining }) => remaining)).to.include.members([4, 3, 2, 1, 0]);
  });

  it('admits as many while the shared log cannot be reached', async () => {
    for (let n = 0; n < WINDOW.limit; n++) expect(await admit()).to.include({ admitted: true });
    expect(await admit()).to.include({ admitted: false });
    expect(await admit({ ...KEY, organizationId: 'another' })).to.include({ admitted: true });
  });

  it('refuses without asking the shared log when its own window is full', async () => {
    for (let n = 0; n < 20; n++) await admit();
    expect(recorded).to.equal(WINDOW.limit);
  });

  it('says when a caller may come again, even if an adapter does not say how late it records', async () => {
    limit = new RateLimit(new ProcessWindows(WINDOW, clock), { record: async () => null }, WINDOW);
    for (let n = 0; n < WINDOW.limit; n++) await admit();
    expect(await admit()).to.include({ admitted: false, retryAfterMs: WINDOW.lengthMs });
  });

  it('keeps its room when the shared log refuses', async () => {
    shared = forgets(false);
    for (let n = 0; n < 2 * WINDOW.limit; n++) expect(await admit()).to.include({ admitted: false });
    shared = forgets();
    expect(await admit()).to.include({ admitted: true });
  });

  it('says when the oldest request leaves the window, the same time on every response', async () => {
    const startedAt = clock.now();
    replyMs = 90;
    for (let n = 0; n < WINDOW.limit + 1; n++) {
      expect((await admit()).resetAt).to.equal(startedAt + WINDOW.lengthMs);
    }
  });

  it('has a caller wait until the shared log has room as well, which may have recorded it later', async () => {
    replyMs = 90;
    for (let n = 0; n < WINDOW.limit; n++) await admit();
    const verdict = await admit();
    expect(verdict).to.include({ admitted: false, retryAfterMs: WINDOW.lengthMs - 5 * 90 + 100 });
  });
});
