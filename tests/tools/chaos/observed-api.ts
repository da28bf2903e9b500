import { setTimeout as pause } from 'node:timers/promises';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';
import type { KeptProgram } from './kept-program.js';
import type { Findings, Troubles } from './troubles.js';

const DOCUMENTED = [200, 304, 400, 401, 404, 429, 500];
const MAX_ANSWER_MS = 10_000;
const RECOVERY_MS = 5_000;
/** A program that was killed or is starting refuses connections. Its callers try again after this time. */
const TIMEOUT_MS = 50;
const CANARY = /canary of (\w+);/g;

export interface ApiCaller {
  readonly organizationId: string;
  readonly key: string;
}

export interface Observed {
  readonly status: number;
  readonly text: string;
  readonly etag: string | undefined;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** A request that was answered with 500. */
interface Failed {
  readonly path: string;
  readonly organizationId: string;
  readonly from: number;
  readonly to: number;
}

/** One of the API programs. It checks the invariants that every answer has to satisfy. */
export class ObservedApi {
  readonly statuses = new Map<number, number>();
  /** The number of 500s while the read database was not available. */
  excused = 0;
  #address = '';
  #failed: Failed[] = [];

  constructor(
    readonly program: KeptProgram,
    private readonly troubles: Troubles,
    private readonly findings: Findings,
  ) {}

  get name(): string {
    return this.program.name;
  }

  async listens(): Promise<void> {
    this.#address = await this.program.printed(/"address":"([^"]+)"/);
  }

  /** Null if there is no answer, or a 500; `judge` reports those without a valid reason. */
  async get({ organizationId, key }: ApiCaller, path: string, etag?: string): Promise<Observed | null> {
    const sentAt = performance.now();
    const headers = { 'X-API-Key': key, ...(etag !== undefined && { 'If-None-Match': etag }) };
    const answer = await inTime(sendRequest(this.#address, path, headers));
    const receivedAt = performance.now();
    if (answer instanceof Error) {
      if (!this.troubles.overlap(new RegExp(this.name), sentAt, receivedAt)) {
        this.findings.add(`${this.name} did not answer ${path} though it was available: ${answer.message}`);
      }
      await pause(TIMEOUT_MS);
      return null;
    }
    const { status, text } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 500) this.#failed.push({ path, organizationId, from: sentAt, to: receivedAt });
    this.#look(answer, organizationId, path);
    return status === 500 ? null : { status, text, etag: answer.headers.etag, sentAt, receivedAt };
  }

  /** A failure during the start proves nothing. */
  forgetFailures(): void {
    this.#failed = [];
  }

  /** Neither Redis nor the workers are a reason for a 500. Whether a database was slow is only known afterwards. */
  judge(): void {
    for (const { path, organizationId, from, to } of this.#failed.splice(0)) {
      if (this.troubles.overlap(/read database/, from, to, RECOVERY_MS)) {
        this.excused++;
        continue;
      }
      this.findings.add(
        `${this.name} answered ${path} of ${organizationId} with 500 at ${to.toFixed(0)}, although the read database was available`,
      );
    }
  }

  #look({ status, text }: ReceivedAnswer, organizationId: string, path: string) {
    if (!DOCUMENTED.includes(status)) this.findings.add(`${this.name} answered ${path} with ${status}`);
    for (const [, owner] of text.matchAll(CANARY)) {
      if (owner === organizationId) continue;
      this.findings.add(`${this.name} showed ${organizationId} what belongs to ${owner}, on ${path}`);
    }
  }
}

function inTime(answer: Promise<ReceivedAnswer>): Promise<ReceivedAnswer | Error> {
  const late = pause(MAX_ANSWER_MS, new Error(`no answer in ${MAX_ANSWER_MS} ms`), { ref: false });
  return Promise.race([answer.catch((error: Error) => error), late]);
}
