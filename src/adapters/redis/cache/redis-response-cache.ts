import type { Answer, AnswerKey, KeptAnswer } from '../../../domain/model/answer.js';
import type { ResponseCache } from '../../../domain/ports/answering/response-cache.js';
import type { Clock } from '../../../domain/ports/system/clock.js';
import { answerName, probeName } from '../connection/key-names.js';
import type { RedisBreaker, RedisPurpose } from '../connection/redis-breaker.js';

/** A larger body would delay too many other commands. */
const MAX_SHARED_BODY_BYTES = 2 ** 20;

const PROBE_EXPIRY_MS = 1_000;

export const ANSWERS: RedisPurpose = {
  // The largest shared body takes a tenth of a second at 100 Mbit/s.
  commandTimeoutMs: 250,
  opened: 'The shared cache is unavailable: each process computes and caches its own answers',
  closed: 'The shared cache is available again',
  probe: (redis, failedName) => {
    const name = probeName(failedName, 'answer');
    return Promise.all([redis.set(name, '', 'PX', PROBE_EXPIRY_MS), redis.getBuffer(name), redis.pttl(name)]);
  },
};

/** Answers that all processes share. */
export class RedisResponseCache implements ResponseCache {
  constructor(
    private readonly breaker: RedisBreaker,
    private readonly clock: Clock,
  ) {}

  get(key: AnswerKey): Promise<KeptAnswer | null> {
    const name = answerName(key);
    // Not when the reply arrives: it may be late, and the copy must not outlive the shared answer.
    const sentAt = this.clock.now();
    return this.breaker.attempt(name, async (redis) => {
      const [bytes, lifetimeMs] = await Promise.all([redis.getBuffer(name), redis.pttl(name)]);
      if (bytes === null || lifetimeMs < 0) return null;
      return { answer: decode(bytes), expiresAt: sentAt + lifetimeMs };
    });
  }

  async put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void> {
    // Redis has no lifetime of 0.
    if (lifetimeMs <= 0 || answer.body.byteLength > MAX_SHARED_BODY_BYTES) return;
    const name = answerName(key);
    await this.breaker.attempt(name, (redis) => redis.set(name, encode(answer), 'PX', lifetimeMs));
  }
}

/** The tag as JSON (which has no line break), a line break, and the bytes of the body. */
function encode({ body, etag }: Answer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(etag)}\n`), body]);
}

function decode(bytes: Buffer): Answer {
  const end = bytes.indexOf('\n');
  // Copied: a slice would keep the whole received packet in memory while it is cached.
  const body = new Uint8Array(bytes.subarray(end + 1));
  const etag: unknown = JSON.parse(bytes.toString('utf8', 0, end));
  if (typeof etag !== 'string') throw new Error('A foreign value in place of an answer');
  return { body, etag };
}
