import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import type { Company } from './chaos.js';

const ASK_EVERY_MS = 50;
/** After this time, programs and databases that failed may not be a reason any more. */
const RECOVERY_MS = 10_000;

/**
 * Edits a blog, and checks how soon each process shows the edit: no failure of Redis may leave an old answer in use
 * for long. If another part fails, the edit only has to be shown at some time.
 */
export class FreshReader {
  edits = 0;

  constructor(
    private readonly company: Company,
    private readonly tenant: Tenant,
    private readonly promptMs: number,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    const { installation, traffic, troubles, findings } = this.company;
    while (!stopping.aborted) {
      const title = `fresh ${++this.edits};`;
      await traffic.entitle(this.tenant, title);
      const committedAt = performance.now();
      const late = new Set(installation.apis);
      while (!stopping.aborted && late.size > 0) {
        for (const api of late) {
          const answer = await api.get(this.tenant, `/api/v1/blogs/${this.tenant.blogId}`);
          if (answer?.status !== 200) continue;
          if (answer.text.includes(title)) late.delete(api);
          const age = answer.sentAt - committedAt;
          if (!late.has(api) || age <= this.promptMs) continue;
          if (troubles.overlap(/api|worker|database/, committedAt, answer.receivedAt, RECOVERY_MS)) continue;
          findings.add(`${api.name} showed the state before an edit, ${age.toFixed(0)} ms after it`);
          late.delete(api);
        }
        await pause(ASK_EVERY_MS);
      }
    }
  }
}
