import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../../support/dashboards/dashboard.js';
import type { Client, Company } from '../chaos.js';

const ASK_EVERY_MS = 50;

/**
 * Edits a blog, and checks how soon each process shows the edit: no failure of Redis may leave an old answer in use
 * for long.
 */
export class FreshReader implements Client {
  /** The longest time for which a process served the state before an edit. */
  longestMs = 0;
  edits = 0;

  constructor(
    private readonly company: Company,
    private readonly tenant: Tenant,
    private readonly seenWithinMs: number,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    const { blogId } = this.tenant;
    while (!stopping.aborted) {
      const title = `fresh ${++this.edits};`;
      await this.company.traffic.change('update blogs set title = $1 where id = $2', [title, blogId]);
      const committedAt = performance.now();
      const late = new Set(this.company.installation.apis);
      while (!stopping.aborted && late.size > 0) {
        for (const api of late) {
          const answer = await api.get(this.tenant, `/api/v1/blogs/${blogId}`);
          if (answer?.status !== 200) continue;
          const age = answer.sentAt - committedAt;
          if (answer.text.includes(title)) {
            late.delete(api);
          } else if (age > this.seenWithinMs) {
            this.company.findings.add(
              `${api.name} showed the state before an edit, ${age.toFixed(0)} ms after it`,
            );
            late.delete(api);
          }
          this.longestMs = Math.max(this.longestMs, age);
        }
        await pause(ASK_EVERY_MS);
      }
      await pause(ASK_EVERY_MS);
    }
  }
}
