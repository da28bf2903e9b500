import type { Admission } from '../../../src/application/requests/admissions.js';
import { Answers } from '../../../src/application/requests/answers.js';
import { Bulkhead } from '../../../src/application/requests/bulkhead.js';
import { ProcessAnswers } from '../../../src/application/requests/process-answers.js';
import { SharedAnswers } from '../../../src/application/requests/shared-answers.js';
import { Staleness } from '../../../src/application/requests/staleness.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import type { Answer } from '../../../src/domain/model/answer.js';
import type { ResponseCache } from '../../../src/domain/ports/answering/response-cache.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

type Parts = ConstructorParameters<typeof Answers>[0];

/** Answers from this cache; by default none is stale, and many computations may run at once. */
export function answersFrom(cache: ResponseCache, parts: Partial<Parts> = {}): Answers {
  const clock = new SettableClock();
  return new Answers({
    processAnswers: new ProcessAnswers(15 * 1024 * 1024),
    sharedAnswers: new SharedAnswers(cache, clock, new RecordingLog(), new MemoryMetrics()),
    cacheLifetimesMs: { list: 300_000, detail: 900_000 },
    staleness: new Staleness(0),
    bulkhead: new Bulkhead({ total: 1_000, perOrganization: 1_000, maxWaitMs: 0 }, clock),
    breaker: { attempt: (call) => call() },
    admissions: { readmit: async ({ generation }) => generation },
    clock,
    ...parts,
  });
}

export function anAnswer(text: string): Answer {
  return { body: Buffer.from(text), etag: `"${text}"` };
}

export function anAdmission(organizationId: string, generation: number, isConfirmed = true): Admission {
  const verdict = { admitted: true, remaining: 9, resetAt: 0 } as const;
  return { key: aKey({ id: 'key', organizationId }), generation, isConfirmed, verdict };
}
