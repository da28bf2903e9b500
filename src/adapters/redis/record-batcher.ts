import { type RecordedCall, type RecordReply, runRecord } from './record-script.js';
import type { RedisBreaker } from './redis-breaker.js';

/** So that one command does not block Redis noticeably. */
const CALLS_PER_COMMAND = 1_000;

interface WaitingCall extends RecordedCall {
  readonly slot: number;
  readonly resolve: (reply: RecordReply | null) => void;
}

/**
 * Sends all calls of one turn of the event loop to the logs in Redis as one command at its end, or as one command for each slot of a
 * cluster. The command has one deadline. If it fails, each call falls back separately. If Redis refuses a part, only that call does.
 */
export class RecordBatcher {
  #calls: WaitingCall[] = [];

  constructor(
    private readonly breaker: Pick<RedisBreaker, 'run' | 'slotOf'>,
    /** Called before anything is sent. */
    private readonly onEnd: () => void,
  ) {}

  /** Null: Redis did not answer in time, refused, or is unavailable. */
  add(call: RecordedCall): Promise<RecordReply | null> {
    return new Promise((resolve) => {
      const waiting = { ...call, slot: this.breaker.slotOf(call.log), resolve };
      if (this.#calls.push(waiting) === 1) setImmediate(() => this.#end());
    });
  }

  #end(): void {
    const calls = this.#calls;
    this.#calls = [];
    this.onEnd();
    for (const batch of inCommands(calls)) void this.#send(batch);
  }

  async #send(calls: readonly WaitingCall[]): Promise<void> {
    const replies = await this.breaker.run<readonly (RecordReply | Error)[] | null>(
      (redis) => runRecord(redis, calls),
      () => null,
      calls[0]?.log,
    );
    calls.forEach((call, index) => {
      const reply = replies?.[index] ?? null;
      if (reply instanceof Error) void this.#fail(call, reply);
      else call.resolve(reply);
    });
  }

  /** Handles the refusal as if the call had been sent alone. */
  async #fail({ log, resolve }: WaitingCall, refusal: Error): Promise<void> {
    await this.breaker.run<null>(
      () => Promise.reject(refusal),
      () => null,
      log,
    );
    resolve(null);
  }
}

function inCommands(calls: readonly WaitingCall[]): readonly (readonly WaitingCall[])[] {
  const commands: WaitingCall[][] = [];
  const ofSlots = new Map<number, WaitingCall[]>();
  for (const call of calls) {
    let command = ofSlots.get(call.slot);
    if (command === undefined || command.length === CALLS_PER_COMMAND) {
      command = [];
      ofSlots.set(call.slot, command);
      commands.push(command);
    }
    command.push(call);
  }
  return commands;
}
