import type { Clock } from '../../domain/ports/clock.js';
import type { RedisClient } from './connect-redis.js';
import type { KnownWindow } from './known-window.js';
import { RecordCall, type Replies } from './record-call.js';
import { runRecord } from './record-script.js';
import type { RedisBreaker } from './redis-breaker.js';

/** Limits of one command, so that it does not block Redis noticeably. */
const REPLAYED_PER_COMMAND = 500;
const CALLS_PER_COMMAND = 1_000;

const TOO_LATE = new Error('Redis received a request too late');

/**
 * Sends all calls of one turn of the event loop to the logs in Redis as one command at its end, or as one command for each slot of a
 * cluster. The command has one deadline. If it fails, each request falls back separately. If Redis refuses a part, only that request does.
 */
export class RecordBatcher {
  #calls: RecordCall[] = [];

  constructor(
    private readonly breaker: Pick<RedisBreaker, 'run'>,
    private readonly clock: Clock,
    /** Called before anything is sent. */
    private readonly onEnd: () => void,
  ) {}

  add(known: KnownWindow, limit: number): RecordCall {
    const call = new RecordCall(known, limit);
    if (this.#calls.push(call) === 1) setImmediate(() => this.#end());
    return call;
  }

  #end(): void {
    const calls = this.#calls;
    this.#calls = [];
    this.onEnd();
    for (const batch of inCommands(calls)) void this.#send(batch);
  }

  async #send(calls: readonly RecordCall[]): Promise<void> {
    let isAwaited = true;
    const replies = await this.breaker.run<Replies | null>(
      (redis) => {
        const sent = this.#command(redis, calls, () => isAwaited);
        calls.forEach((call, place) => {
          call.sentAs(sent, place);
        });
        return sent;
      },
      () => {
        isAwaited = false;
        return null;
      },
      calls[0]?.known.names.log,
    );
    calls.forEach((call, place) => {
      const reply = replies?.[place] ?? null;
      if (reply instanceof Error) void this.#fail(call, reply);
      else call.resolveWith(reply);
    });
  }

  /** Handles the refusal as if the call had been sent alone. */
  async #fail(call: RecordCall, refusal: Error): Promise<void> {
    const { log } = call.known.names;
    await this.breaker.run<null>(
      () => Promise.reject(refusal),
      () => null,
      log,
    );
    call.resolveWith(null);
  }

  async #command(
    redis: RedisClient,
    calls: readonly RecordCall[],
    isAwaited: () => boolean,
  ): Promise<Replies> {
    let room = REPLAYED_PER_COMMAND;
    for (const call of calls) room -= call.takeForReplay(room);
    try {
      const replies = await this.#run(redis, calls, this.clock.now());
      const late = calls.filter((_, place) => isLate(replies[place]));
      if (late.length === 0) return replies;
      // Redis's clock was set, or this process was too busy to send the command in time.
      const again = isAwaited() ? await this.#run(redis, late, null) : late.map(() => TOO_LATE);
      let next = 0;
      return replies.map((reply) => (isLate(reply) ? (again[next++] ?? TOO_LATE) : reply));
    } finally {
      for (const call of calls) call.end();
    }
  }

  async #run(redis: RedisClient, calls: readonly RecordCall[], now: number | null): Promise<Replies> {
    const sentAt = now ?? this.clock.now();
    const replies = await runRecord(
      redis,
      calls.map((call) => call.parameters(now)),
    );
    replies.forEach((reply, place) => {
      if (!(reply instanceof Error) && !isLate(reply)) calls[place]?.addReply(reply, sentAt);
    });
    return replies;
  }
}

function isLate(reply: Replies[number] | undefined): boolean {
  return Array.isArray(reply) && reply[0] === -1;
}

function inCommands(calls: readonly RecordCall[]): readonly (readonly RecordCall[])[] {
  const commands: RecordCall[][] = [];
  const ofSlots = new Map<number, RecordCall[]>();
  for (const call of calls) {
    let command = ofSlots.get(call.known.slot);
    if (command === undefined || command.length === CALLS_PER_COMMAND) {
      command = [];
      ofSlots.set(call.known.slot, command);
      commands.push(command);
    }
    command.push(call);
  }
  return commands;
}
