import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf } from '../../support/programs/running-programs.js';

const WARM = '/api/v1/blogs';
const COLD_AT_ONCE = 15;

/**
 * An API whose servers fail, and the answers of its callers: warm ones are in its cache, cold ones were not requested
 * before.
 */
export class ApiInOutage {
  #tenant: Tenant | null = null;
  #asked = 0;

  private constructor(
    private readonly api: RunningProgram,
    private readonly address: string,
  ) {}

  static async start(readDatabaseUrl: string, redisUrl: string): Promise<ApiInOutage> {
    const api = new RunningProgram(['api'], {
      READ_DATABASE_URL: readDatabaseUrl,
      REDIS_URL: redisUrl,
      RATE_LIMIT_MAX: '10000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    return new ApiInOutage(api, await addressOf(api));
  }

  async warmUp(tenant: Tenant): Promise<void> {
    this.#tenant = tenant;
    expect((await this.#get(WARM)).status).to.equal(200);
    expect((await this.#get(WARM)).headers['x-cache']).to.equal('HIT');
  }

  warm(): Promise<number> {
    return statusOf(this.#get(WARM));
  }

  cold(): Promise<readonly number[]> {
    const ask = () => statusOf(this.#get(`${WARM}?search=${++this.#asked}`));
    return Promise.all(Array.from({ length: COLD_AT_ONCE }, ask));
  }

  /** On a busy machine Redis may seem unavailable at any time. */
  get hasEverMissedRedis(): boolean {
    return this.#timesLogged('Redis is unavailable') > 0;
  }

  /** Expects that the API soon recovers without help. */
  async recovers(): Promise<void> {
    await eventually(async () => {
      const [warm, cold] = await Promise.all([this.warm(), this.cold()]);
      expect(new Set([warm, ...cold])).to.deep.equal(new Set([200]));
      expect(this.#timesLogged('Redis is available again')).to.equal(
        this.#timesLogged('Redis is unavailable'),
      );
    });
  }

  async end(): Promise<void> {
    expect(await this.api.end('SIGTERM')).to.equal(0);
  }

  #get(path: string): Promise<ReceivedAnswer> {
    return sendRequest(this.address, path, { 'X-API-Key': this.#tenant?.key ?? '' });
  }

  #timesLogged(message: string): number {
    return this.api.output.split(message).length - 1;
  }
}

/** Expects that a failure reveals nothing. */
async function statusOf(answer: Promise<ReceivedAnswer>): Promise<number> {
  const { status, text } = await answer;
  if (status !== 200) expect(text).to.equal('{"error":{"message":"Internal server error","status":500}}');
  return status;
}
