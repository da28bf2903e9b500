import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import type { WebhookSession } from '../../composition/worker-parts.js';
import { LeadershipLost } from '../../domain/errors.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { Log } from '../../domain/ports/system/log.js';
import { Loop } from './loop.js';

/** Short enough that changes are collected before their messages are due. */
const LOOK_EVERY_MS = 500;
const MIN_WAIT_MS = 25;
/** A server that does not respond in this time is unavailable. */
const STATEMENT_TIMEOUT_MS = 10_000;
const LOGGED_AGAIN_AFTER_MS = 60_000;
/** For calls whose receivers answer soon. Others are sent again by the next leader. */
const STOP_TIMEOUT_MS = 1_000;

/** Tells endpoints while this worker leads, beside the loop of the sync. */
export class WebhookLoop extends Loop {
  /** Endpoints are also told of edits between the start and the first epoch. */
  readonly #startedAt = Date.now();
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** The epoch in which former endpoints were removed, if the settings have none. */
  #emptyEpoch: number | null = null;

  constructor(
    private readonly open: () => WebhookSession,
    /** Null while this worker does not lead. */
    private readonly currentEpoch: () => number | null,
    private readonly log: Log,
  ) {
    super();
  }

  protected async runUntilStopped(): Promise<void> {
    while (!this.isStopping) {
      const epoch = this.currentEpoch();
      if (epoch !== null && epoch !== this.#emptyEpoch)
        await this.#lead(epoch).catch((error: unknown) => this.#logFailure(error));
      await this.wait(LOOK_EVERY_MS);
    }
  }

  /** Runs until this epoch ends. */
  async #lead(epoch: number): Promise<void> {
    const session = this.open();
    const lanes = new Map<string, Promise<void>>();
    let failure: unknown = null;
    const isOver = () => this.isStopping || this.currentEpoch() !== epoch || failure !== null;
    try {
      await withTimeLimit(STATEMENT_TIMEOUT_MS, session.steps.begin(epoch, this.#startedAt));
      if (!session.hasEndpoints) this.#emptyEpoch = epoch;
      while (session.hasEndpoints && !isOver()) {
        const { endpoints, nextInMs } = await withTimeLimit(STATEMENT_TIMEOUT_MS, session.steps.look(epoch));
        for (const endpoint of endpoints) {
          if (lanes.has(endpoint.id)) continue;
          const tellAll = async () => {
            while (!isOver() && (await session.steps.tell(epoch, endpoint))) {}
          };
          const lane = tellAll()
            .catch((error: unknown) => {
              failure = error;
            })
            .finally(() => lanes.delete(endpoint.id));
          lanes.set(endpoint.id, lane);
        }
        await this.wait(Math.min(Math.max(nextInMs ?? LOOK_EVERY_MS, MIN_WAIT_MS), LOOK_EVERY_MS));
      }
    } finally {
      await withTimeLimit(STOP_TIMEOUT_MS, Promise.all(lanes.values())).catch(() => {});
      await session.close();
    }
    if (failure !== null) throw failure;
  }

  /** A lasting one once a minute. */
  #logFailure(error: unknown): void {
    if (error instanceof LeadershipLost || this.isStopping) return;
    const isDue = performance.now() - this.#loggedAt >= LOGGED_AGAIN_AFTER_MS;
    if (isDue) this.#loggedAt = performance.now();
    const message = 'webhooks: the read tables do not answer; nobody is told until they do';
    this.log[isDue ? 'warn' : 'debug'](message, { reason: reasonOf(error), error });
  }
}
