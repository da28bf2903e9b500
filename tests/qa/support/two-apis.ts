import type { Tenant } from '../../support/dashboards/dashboard.js';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf } from '../../support/programs/running-programs.js';

export type Which = 'one' | 'other';

/** Two processes of the real `api` command that share a PostgreSQL and a Redis. */
export class TwoApis {
  private constructor(
    private readonly programs: Readonly<Record<Which, RunningProgram>>,
    private readonly addresses: Readonly<Record<Which, string>>,
  ) {}

  static async start(environment: Record<string, string>): Promise<TwoApis> {
    const start = () => new RunningProgram(['api'], { PORT: '0', HOST: '127.0.0.1', ...environment });
    const programs = { one: start(), other: start() };
    try {
      const [one, other] = await Promise.all([addressOf(programs.one), addressOf(programs.other)]);
      return new TwoApis(programs, { one, other });
    } catch (error) {
      await Promise.all([programs.one.end('SIGKILL'), programs.other.end('SIGKILL')]);
      throw error;
    }
  }

  get(which: Which, { key }: Pick<Tenant, 'key'>, path = '/api/v1/blogs'): Promise<ReceivedAnswer> {
    return sendRequest(this.addresses[which], path, { 'X-API-Key': key });
  }

  /** Sends the same request to both at the same time. */
  async getBoth(tenant: Tenant, path?: string): Promise<[ReceivedAnswer, ReceivedAnswer]> {
    return Promise.all([this.get('one', tenant, path), this.get('other', tenant, path)]);
  }

  /**
   * Whether one process counts what the other one accepts. The tenant has sent no other requests. Requests that the
   * other process accepted before Redis failed prove nothing, because a process remembers those without Redis, too.
   */
  async shareLimitOf(tenant: Tenant): Promise<boolean> {
    const remaining = (answer: ReceivedAnswer) => Number(answer.headers['x-ratelimit-remaining']);
    const before = remaining(await this.get('one', tenant));
    await this.get('other', tenant);
    return remaining(await this.get('one', tenant)) === before - 2;
  }

  /** How often the log of each process contains this message. */
  count(message: string): Record<Which, number> {
    const countIn = ({ output }: RunningProgram) => output.split(message).length - 1;
    return { one: countIn(this.programs.one), other: countIn(this.programs.other) };
  }

  async stop(): Promise<void> {
    await Promise.all([this.programs.one.end('SIGTERM'), this.programs.other.end('SIGTERM')]);
  }
}

/** The title of the one blog in a list, and whether it came from the cache. */
export function shown(answer: ReceivedAnswer): string {
  if (answer.status !== 200) return String(answer.status);
  return `${answer.headers['x-cache']}: ${answer.json().data[0].title}`;
}
