import type { RedisBreaker } from './redis-breaker.js';

/** Keeps the names in Redis in line with the installation whose read tables answer now. */
export class InstallationWatch {
  /** Nothing is sent to Redis until the first `refresh`. */
  constructor(
    private readonly breakers: readonly RedisBreaker[],
    private readonly read: () => Promise<string>,
  ) {
    for (const breaker of breakers) breaker.setInstallation(null);
  }

  /** To be called repeatedly: another database may answer at the same address later. */
  async refresh(): Promise<void> {
    const installation = await this.read();
    for (const breaker of this.breakers) breaker.setInstallation(installation);
  }
}
