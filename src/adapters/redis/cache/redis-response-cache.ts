import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, AnswerKey, KeptAnswer, LastAnswer } from '../../../domain/model/answer.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { LastAnswers } from '../../../domain/ports/last-answers.js';
import type { ResponseCache } from '../../../domain/ports/response-cache.js';
import type { RedisClient } from '../connection/connect-redis.js';
import { answerNames, lastAnswerName } from '../connection/key-names.js';
import type { RedisBreaker } from '../connection/redis-breaker.js';
import { RedisScript } from '../connection/redis-script.js';

/** The longest time that a lock outlives a process that died with it. */
const LOCK_MS = 500;
const POLL_MS = 20;
/** A little longer than a lock: the last attempt finds the lock expired and takes it. */
const MAX_WAIT_MS = LOCK_MS + 3 * POLL_MS;

/** A larger body would delay too many other commands. */
const MAX_SHARED_BODY_BYTES = 2 ** 20;
/** In place of an answer that is too large; an encoded answer is never empty. */
const TOO_LARGE = '';

/** The answer and its lifetime; otherwise whether the caller has to compute it. */
const GET_OR_CLAIM = new RedisScript(`
  local answer, lock = KEYS[1], KEYS[2]
  local bytes = redis.call('GET', answer)
  if bytes then return {bytes, redis.call('PTTL', answer)} end
  if redis.call('SET', lock, ARGV[2], 'PX', ARGV[1], 'NX') then return 'claimed' end
  return 'claimed by another'
`);

/** A computation may take longer than its lock: the lock may belong to another process by then. */
const RELEASE_OWN = new RedisScript(`
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

type Found =
  | { readonly answer: Answer; readonly lifetimeMs: number }
  | 'claimed'
  | 'claimed by another'
  | 'too large';

/** Answers that all processes share. They are looked up after the local cache. */
export class RedisResponseCache implements ResponseCache, LastAnswers {
  /** The value that this process has stored in each lock that it still holds. */
  readonly #claims = new Map<string, string>();

  constructor(
    private readonly breaker: RedisBreaker,
    private readonly local: ResponseCache & LastAnswers,
    /** How long last answers are kept beyond their lifetime; null: they are not kept. */
    private readonly stale: { readonly clock: Clock; readonly staleIfErrorMs: number } | null = null,
  ) {}

  async get(key: AnswerKey): Promise<KeptAnswer | null> {
    return (await this.local.get(key)) ?? this.#getShared(key);
  }

  async #getShared(key: AnswerKey): Promise<KeptAnswer | null> {
    const deadline = performance.now() + MAX_WAIT_MS;
    while (performance.now() <= deadline) {
      const reply = await this.#getOrClaim(key);
      if (reply === 'claimed' || reply === 'too large') return null;
      if (reply !== 'claimed by another') {
        await this.local.put(key, reply.answer, reply.lifetimeMs);
        return { answer: reply.answer, level: 'shared' };
      }
      await pause(POLL_MS);
    }
    return null;
  }

  async put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void> {
    await this.local.put(key, answer, lifetimeMs);
    // Redis has no lifetime of 0: a caller that waits for such an answer has to compute it.
    if (lifetimeMs <= 0) return this.release(key);
    const { answer: name } = answerNames(key);
    const bytes =
      answer.body.byteLength > MAX_SHARED_BODY_BYTES ? TOO_LARGE : encode(answer.body, answer.etag);
    const stored = this.#send(name, (redis) => redis.set(name, bytes, 'PX', lifetimeMs));
    // Sent in the same turn: a caller that no longer finds the lock finds the answer.
    await Promise.all([stored, this.#keepLast(key, answer, lifetimeMs), this.release(key)]);
  }

  async find(organizationId: string, request: string): Promise<LastAnswer | null> {
    const local = await this.local.find(organizationId, request);
    if (this.stale === null) return local;
    const name = lastAnswerName(organizationId, request);
    const shared = await this.#send(name, async (redis) => {
      const bytes = await redis.getBuffer(name);
      if (bytes === null) return null;
      const [body, etag, generation, expiresAt] = decode<[string, number, number]>(bytes);
      return { answer: { body, etag }, generation, expiresAt };
    });
    // Another process may have stored a later one.
    return shared === null ? local : laterOf(local, shared);
  }

  async forget(organizationId: string, request: string): Promise<void> {
    await this.local.forget(organizationId, request);
    if (this.stale === null) return;
    const name = lastAnswerName(organizationId, request);
    await this.#send(name, (redis) => redis.del(name));
  }

  async #keepLast(
    { organizationId, generation, request }: AnswerKey,
    answer: Answer,
    lifetimeMs: number,
  ): Promise<void> {
    if (this.stale === null || answer.body.byteLength > MAX_SHARED_BODY_BYTES) return;
    const name = lastAnswerName(organizationId, request);
    const keptMs = lifetimeMs + this.stale.staleIfErrorMs;
    const expiresAt = this.stale.clock.now() + lifetimeMs;
    const bytes = encode(answer.body, answer.etag, generation, expiresAt);
    await this.#send(name, (redis) => redis.set(name, bytes, 'PX', keptMs));
  }

  async release(key: AnswerKey): Promise<void> {
    const { lock } = answerNames(key);
    const claim = this.#claims.get(lock);
    if (claim === undefined) return;
    this.#claims.delete(lock);
    await this.#send(lock, (redis) => RELEASE_OWN.run(redis, [lock], [claim]));
  }

  /** Null: Redis is unavailable. */
  #send<Reply>(name: string, command: (redis: RedisClient) => Promise<Reply>): Promise<Reply | null> {
    return this.breaker.run<Reply | null>(command, () => null, name);
  }

  async #getOrClaim(key: AnswerKey): Promise<Found> {
    const { answer, lock } = answerNames(key);
    const claim = randomUUID();
    const sentAt = performance.now();
    const reply = await this.breaker.run<Found>(
      async (redis) => {
        const reply = await GET_OR_CLAIM.run(redis, [answer, lock], [LOCK_MS, claim]);
        if (!Array.isArray(reply)) return String(reply) === 'claimed' ? 'claimed' : 'claimed by another';
        const [bytes, lifetimeMs] = reply as [Buffer, number];
        if (bytes.byteLength === TOO_LARGE.length) return 'too large';
        const [body, etag] = decode<[string]>(bytes);
        // A late reply may not make the local copy outlive the shared answer.
        return { answer: { body, etag }, lifetimeMs: lifetimeMs - Math.ceil(performance.now() - sentAt) };
      },
      // Without Redis there is no other process to wait for.
      () => 'claimed',
      answer,
    );
    if (reply === 'claimed') this.#claims.set(lock, claim);
    return reply;
  }
}

function laterOf(one: LastAnswer | null, other: LastAnswer): LastAnswer {
  if (one === null) return other;
  if (one.generation === other.generation) return one.expiresAt > other.expiresAt ? one : other;
  return one.generation > other.generation ? one : other;
}

/** The fields as JSON (which has no line break), a line break, and the bytes of the body. */
function encode(body: Uint8Array, ...fields: readonly (string | number)[]): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(fields)}\n`), body]);
}

function decode<Fields extends readonly unknown[]>(bytes: Buffer): [Uint8Array, ...Fields] {
  const end = bytes.indexOf('\n');
  // Copied: a slice would keep the whole received packet in memory while it is cached.
  return [new Uint8Array(bytes.subarray(end + 1)), ...JSON.parse(bytes.toString('utf8', 0, end))] as never;
}
