import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../../support/dashboards/dashboard.js';
import type { Client, Company } from '../chaos.js';
import { editShown } from '../dashboard-traffic.js';
import type { ObservedApi } from '../observed-api.js';
import { commitsWereLost } from '../troubles.js';

/** All requests together stay below the limit. */
const ASK_EVERY_MS = 100;
const EDIT_EVERY_MS = 150;

/**
 * Edits a blog and requests it from all programs. Once a process has shown an edit, every later request to any
 * process has to show that edit or a later one.
 */
export class PublishedWatch implements Client {
  /** How many answers were compared with the newest edit shown before. */
  judged = 0;
  #newest = { edit: 0, shownAt: 0 };

  constructor(
    private readonly company: Company,
    private readonly tenant: Tenant,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    const { apis } = this.company.installation;
    await Promise.all([this.#edit(stopping), ...apis.map((api) => this.#ask(api, stopping))]);
  }

  async #edit(stopping: AbortSignal): Promise<void> {
    const { organizationId, blogId } = this.tenant;
    for (let edit = 1; !stopping.aborted; edit++) {
      const title = `canary of ${organizationId}; edit ${edit}`;
      await this.company.traffic.change('update blogs set title = $1 where id = $2', [title, blogId]);
      await pause(EDIT_EVERY_MS);
    }
  }

  async #ask(api: ObservedApi, stopping: AbortSignal): Promise<void> {
    const { findings, troubles } = this.company;
    while (!stopping.aborted) {
      await pause(ASK_EVERY_MS);
      const before = this.#newest;
      const answer = await api.get(this.tenant, `/api/v1/blogs/${this.tenant.blogId}`);
      if (answer?.status !== 200) continue;
      const edit = editShown(answer.text);
      this.judged++;
      if (edit > this.#newest.edit) this.#newest = { edit, shownAt: answer.receivedAt };
      if (edit >= before.edit) continue;
      if (commitsWereLost(troubles, before.shownAt, answer.receivedAt))
        this.#newest = { edit, shownAt: answer.receivedAt };
      else findings.add(`${api.name} showed edit ${edit} after edit ${before.edit} had been shown`);
    }
  }
}
