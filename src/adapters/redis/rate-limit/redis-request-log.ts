import type { ApiKey } from '../../../domain/model/api-key.js';
import type { Window, WindowState } from '../../../domain/model/window.js';
import type { Metrics } from '../../../domain/ports/metrics.js';
import type { RequestLog } from '../../../domain/ports/request-log.js';
import { generationName, requestLogName } from '../connection/key-names.js';
import type { RedisBreaker } from '../connection/redis-breaker.js';
import { type RecordedCall, type RecordReply, runRecord } from './record-script.js';

/** So that one command does not block Redis noticeably. */
const CALLS_PER_COMMAND = 1_000;

interface WaitingCall extends RecordedCall {
  readonly resolve: (reply: RecordReply | null | Promise<null>) => void;
}

/** The log of this process, by a clock that cannot be set. */
export interface ProcessRequestLog extends RequestLog {
  /** Null: the window has room. Records nothing. */
  refusal(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): WindowState | null;
}

/**
 * A request needs room in the window of this process and in the one that all processes share. The
 * first has every request that this process admitted, so no process accepts more than the limit,
 * whatever Redis loses. The calls of a turn of the event loop are one command.
 */
export class RedisRequestLog implements RequestLog {
  #calls: WaitingCall[] = [];
  #arriving = new Map<string, Promise<RecordReply | null>>();

  constructor(
    private readonly breaker: Pick<RedisBreaker, 'run' | 'slotOf'>,
    private readonly ofProcess: ProcessRequestLog,
    private readonly metrics: Metrics,
  ) {}

  async record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState> {
    const refusal = this.ofProcess.refusal(key, window);
    if (refusal !== null) return refusal;
    const { id, organizationId } = key;
    const log = requestLogName(organizationId, id);
    const reply = this.#callRedis({ log, generation: generationName(organizationId), window });
    this.#arriving.set(organizationId, reply);
    const shared = await reply;
    if (shared === null) this.metrics.count('limited-without-redis');
    else if (!shared.state.accepted) return shared.state;
    // Last, so that it holds for requests that were under way together while Redis lost its data.
    const state = await this.ofProcess.record(key, window);
    const isFuller = shared === null || !state.accepted || state.count > shared.state.count;
    return isFuller ? state : shared.state;
  }

  /** The reply with the published generation, if a command of this turn will return it. */
  arrivingGeneration(organizationId: string): Promise<Pick<RecordReply, 'generation'> | null> | null {
    return this.#arriving.get(organizationId) ?? null;
  }

  /** Null: Redis did not answer in time, refused, or is unavailable. */
  #callRedis(call: RecordedCall): Promise<RecordReply | null> {
    return new Promise((resolve) => {
      if (this.#calls.push({ ...call, resolve }) === 1) setImmediate(() => this.#endTurn());
    });
  }

  #endTurn(): void {
    const calls = this.#calls;
    this.#calls = [];
    // A later question may depend on a change that these commands have not seen. Not `clear`, which
    // would make the content old: see ADR 21.
    this.#arriving = new Map();
    const batches = new Map<number, WaitingCall[]>();
    for (const call of calls) {
      const slot = this.breaker.slotOf(call.log);
      const batch = batches.get(slot) ?? [];
      batches.set(slot, batch);
      if (batch.push(call) < CALLS_PER_COMMAND) continue;
      batches.delete(slot);
      void this.#send(batch);
    }
    for (const batch of batches.values()) void this.#send(batch);
  }

  /** If the command fails, each call falls back separately. */
  async #send(calls: readonly WaitingCall[]): Promise<void> {
    const replies = await this.breaker.run<readonly (RecordReply | Error)[] | null>(
      (redis) => runRecord(redis, calls),
      () => null,
      calls[0]?.log,
    );
    calls.forEach(({ log, resolve }, index) => {
      const reply = replies?.[index] ?? null;
      // A refusal counts as if the call had been sent alone.
      if (reply instanceof Error)
        resolve(
          this.breaker.run<null>(
            () => Promise.reject(reply),
            () => null,
            log,
          ),
        );
      else resolve(reply);
    });
  }
}
