import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, AnswerKey, KeptAnswer } from '../../domain/model/answer.js';
import { type Awaitable, whenThere } from '../../domain/model/awaitable.js';
import type { ResponseCache } from '../../domain/ports/response-cache.js';
import { decodeAnswer, encodeAnswer } from './answer-codec.js';
import { answerNames } from './key-names.js';
import type { RedisGuard } from './redis-guard.js';
import { RedisScript } from './redis-script.js';

/** A lock outlives whoever died with it by no more than this. */
const LOCK_MS = 500;
const LOOK_AGAIN_MS = 20;
/** A little longer than a lock: the last look finds that it has run out, and takes the next one. */
const LONGEST_WAIT_MS = LOCK_MS + 3 * LOOK_AGAIN_MS;

/** A larger body would hold up too many others on its way. */
const LARGEST_SHARED_BODY_BYTES = 2 ** 20;
/** Stands where an answer would: nobody need wait for it. No encoded answer is empty. */
const TOO_LARGE = '';

/** The answer and how long it lives; else whether the caller is the one to compute it. */
const GET_OR_CLAIM = new RedisScript(`
  local answer, lock = KEYS[1], KEYS[2]
  local bytes = redis.call('GET', answer)
  if bytes then return {bytes, redis.call('PTTL', answer)} end
  if redis.call('SET', lock, ARGV[2], 'PX', ARGV[1], 'NX') then return 'claimed' end
  return 'claimed by another'
`);

/** A computation may outlast its lock: by then the lock may be a successor's. */
const RELEASE_OWN = new RedisScript(`
  if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

type Found =
  | { readonly answer: Answer; readonly lifetimeMs: number }
  | 'claimed'
  | 'claimed by another'
  | 'too large';

/** Answers that all processes share, below those that this one has near at hand. */
export class RedisResponseCache implements ResponseCache {
  /** Of each lock that this process has taken and not yet given back: what it wrote there. */
  readonly #claims = new Map<string, string>();

  constructor(
    private readonly guard: RedisGuard,
    private readonly near: ResponseCache,
  ) {}

  get(key: AnswerKey): Awaitable<KeptAnswer | null> {
    return whenThere(this.near.get(key), (near) => near ?? this.#getShared(key));
  }

  async #getShared(key: AnswerKey): Promise<KeptAnswer | null> {
    const deadline = performance.now() + LONGEST_WAIT_MS;
    while (performance.now() <= deadline) {
      const found = await this.#getOrClaim(key);
      if (found === 'claimed' || found === 'too large') return null;
      if (found !== 'claimed by another') {
        await this.near.put(key, found.answer, found.lifetimeMs);
        return { answer: found.answer, level: 'shared' };
      }
      await pause(LOOK_AGAIN_MS);
    }
    return null;
  }

  async put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void> {
    await this.near.put(key, answer, lifetimeMs);
    // Redis takes no lifetime of 0: whoever waits for such an answer has to compute it.
    if (lifetimeMs <= 0) return this.release(key);
    const { answer: name } = answerNames(key);
    const bytes = answer.body.byteLength > LARGEST_SHARED_BODY_BYTES ? TOO_LARGE : encodeAnswer(answer);
    const stored = this.guard.run<unknown>(
      (redis) => redis.set(name, bytes, 'PX', lifetimeMs),
      () => null,
      name,
    );
    // Sent in the same turn: whoever finds no lock any more finds the answer.
    await Promise.all([stored, this.release(key)]);
  }

  async release(key: AnswerKey): Promise<void> {
    const { lock } = answerNames(key);
    const claim = this.#claims.get(lock);
    if (claim === undefined) return;
    this.#claims.delete(lock);
    await this.guard.run<unknown>(
      (redis) => RELEASE_OWN.run(redis, [lock], [claim]),
      () => null,
      lock,
    );
  }

  async #getOrClaim(key: AnswerKey): Promise<Found> {
    const { answer, lock } = answerNames(key);
    const claim = randomUUID();
    const found = await this.guard.run<Found>(
      async (redis) => {
        const reply = await GET_OR_CLAIM.runForBytes(redis, [answer, lock], [LOCK_MS, claim]);
        if (!Array.isArray(reply)) return String(reply) === 'claimed' ? 'claimed' : 'claimed by another';
        const [bytes, lifetimeMs] = reply as [Buffer, number];
        if (bytes.byteLength === TOO_LARGE.length) return 'too large';
        return { answer: decodeAnswer(bytes), lifetimeMs };
      },
      // Without Redis there is nobody to wait for. The claim may have reached it all the same.
      () => 'claimed',
      answer,
    );
    if (found === 'claimed') this.#claims.set(lock, claim);
    return found;
  }
}
