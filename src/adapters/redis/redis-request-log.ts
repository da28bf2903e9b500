import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { RequestLog } from '../../domain/ports/request-log.js';
import { generationName, requestLogName } from './key-names.js';
import { RecordBatcher } from './record-batcher.js';
import type { RecordReply } from './record-script.js';
import type { RedisBreaker } from './redis-breaker.js';

/** The log of this process, by a clock that cannot be set. */
export interface ProcessRequestLog extends RequestLog {
  /** Null: the window has room. Records nothing. */
  refusal(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): WindowState | null;
}

/**
 * A request needs room in two windows: that of this process, and the one in Redis that all processes share. While Redis is unavailable, the
 * first one alone decides. It has every request that this process admitted, so whatever Redis loses or forgets, no process accepts more than
 * the limit.
 */
export class RedisRequestLog implements RequestLog {
  readonly #batcher: RecordBatcher;
  #arriving = new Map<string, Promise<RecordReply | null>>();

  constructor(
    breaker: Pick<RedisBreaker, 'run' | 'slotOf'>,
    private readonly ofProcess: ProcessRequestLog,
    private readonly metrics: Metrics,
  ) {
    // A later question may depend on a change that the command in progress has not seen.
    this.#batcher = new RecordBatcher(breaker, () => {
      // Replaced instead of cleared, because `clear` would make its content grow old: see ADR 21.
      this.#arriving = new Map();
    });
  }

  async record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState> {
    const refusal = this.ofProcess.refusal(key, window);
    if (refusal !== null) return refusal;
    const { id, organizationId } = key;
    const log = requestLogName(organizationId, id);
    const reply = this.#batcher.add({ log, generation: generationName(organizationId), window });
    this.#arriving.set(organizationId, reply);
    const shared = await reply;
    if (shared === null) this.metrics.count('limited-without-redis');
    else if (!shared.state.accepted) return shared.state;
    // Last, so that it holds for requests that were under way together while Redis lost its data.
    const state = await this.ofProcess.record(key, window);
    const isFuller = shared === null || !state.accepted || state.count > shared.state.count;
    return isFuller ? state : shared.state;
  }

  /** The organization's published generation in Redis, if a command that is sent in this turn will return it; otherwise null. */
  arrivingGeneration(organizationId: string): Promise<string | null> | null {
    return this.#arriving.get(organizationId)?.then((reply) => reply?.generation ?? null) ?? null;
  }
}
