import type { WebsiteHolder, WebsiteOwner } from '../../domain/model/read-model.js';
import type { MemoryJobQueue } from './memory-job-queue.js';

interface HiddenWebsite extends WebsiteHolder {
  /** The job that rewrites all rows that show a term of the website. */
  readonly untilJob: number | undefined;
}

/** Hidden websites: an organization has or shows rows of them, but they no longer belong to it. */
export class MemoryHiddenWebsites {
  #hidden: readonly HiddenWebsite[] = [];

  constructor(private readonly jobs: MemoryJobQueue) {}

  from(organizationId: string): ReadonlySet<string> {
    const hidden = this.#hidden.filter((website) => website.organizationId === organizationId);
    return new Set(hidden.map(({ websiteId }) => websiteId));
  }

  websiteIds(): readonly string[] {
    return [...new Set(this.#hidden.map(({ websiteId }) => websiteId))];
  }

  /** Returns the organizations whose answers change. */
  async hide(
    { websiteId, organizationId }: WebsiteOwner,
    holders: readonly WebsiteHolder[],
  ): Promise<readonly string[]> {
    const isOwners = (holder: WebsiteHolder) =>
      holder.websiteId === websiteId && holder.organizationId === organizationId;
    const ownerIds = this.#hidden.filter(isOwners).map((website) => website.organizationId);
    this.#hidden = this.#hidden.filter((website) => !isOwners(website));
    const otherHolders = holders.filter((holder) => holder.websiteId === websiteId && !isOwners(holder));
    const ids = new Set(otherHolders.map((holder) => holder.organizationId));
    const hidden = [...ids].filter((id) => !this.from(id).has(websiteId));
    if (hidden.length === 0) return ownerIds;
    this.jobs.update({ kind: 'add', scope: { kind: 'websites', keys: [websiteId] } });
    const waiting = (await this.jobs.unfinished(['websites'])).find(
      ({ scope, progress }) => progress === null && 'keys' in scope && scope.keys.includes(websiteId),
    );
    const added = hidden.map((id) => ({ organizationId: id, websiteId, untilJob: waiting?.id }));
    this.#hidden = [...this.#hidden, ...added];
    return [...ownerIds, ...hidden];
  }

  /**
   * Forgets hidden websites that have no rows left, once no row shows their terms. `outdated`: the
   * organizations with rows that could not be rewritten.
   */
  async deleteSettled(holders: readonly WebsiteHolder[], outdated: readonly string[]): Promise<void> {
    const unfinished = new Set((await this.jobs.unfinished(['websites'])).map(({ id }) => id));
    const organizationsOfOutdated = new Set(outdated);
    this.#hidden = this.#hidden.filter(
      (hidden) =>
        (hidden.untilJob !== undefined && unfinished.has(hidden.untilJob)) ||
        organizationsOfOutdated.has(hidden.organizationId) ||
        holders.some(
          (holder) =>
            holder.organizationId === hidden.organizationId && holder.websiteId === hidden.websiteId,
        ),
    );
  }
}
