import type { RedisGuard } from './redis-guard.js';

/** Sees to it that all that goes to Redis lies under the names of the read tables that answer now. */
export class InstallationWatch {
  /** Until the first look, nothing goes there. */
  constructor(
    private readonly guards: readonly RedisGuard[],
    private readonly read: () => Promise<string>,
  ) {
    for (const guard of guards) guard.nameAfter(null);
  }

  /** Again and again: by now, another database may answer under the same address. */
  async look(): Promise<void> {
    const installation = await this.read();
    for (const guard of this.guards) guard.nameAfter(installation);
  }
}
