import type { RedisGuard } from './redis-guard.js';

/** Keeps the names in Redis in line with the installation whose read tables answer now. */
export class InstallationWatch {
  /** Nothing is sent to Redis until the first look. */
  constructor(
    private readonly guards: readonly RedisGuard[],
    private readonly read: () => Promise<string>,
  ) {
    for (const guard of guards) guard.nameAfter(null);
  }

  /** To be called repeatedly: another database may answer at the same address later. */
  async look(): Promise<void> {
    const installation = await this.read();
    for (const guard of this.guards) guard.nameAfter(installation);
  }
}
