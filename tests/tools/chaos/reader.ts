import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import { editShown } from './dashboard-traffic.js';
import type { Observed, ObservedApi } from './observed-api.js';
import type { Findings } from './troubles.js';

/** All clients of a tenant together, including the check for recovery, stay below the limit. */
const ASK_EVERY_MS = 100;
const REFUSED_EVERY = 4;

interface Seen {
  readonly edit: number;
  readonly etag: string | undefined;
}
const NOTHING: Seen = { edit: 0, etag: undefined };
const PUBLISHED_AT = /"publishedAt":"([^"]*)"/;

/** A client of one process. It requests one blog in several ways, one request after the other, below its limit. */
export class Reader {
  /** The latest and the previous answer of each path. */
  readonly #seen = new Map<string, readonly [Seen, Seen]>();
  readonly #shown: readonly string[];
  readonly #refused: Readonly<Record<string, number>>;
  /** Edits never change it. */
  #publishedAt: string | undefined;

  constructor(
    private readonly api: ObservedApi,
    private readonly tenant: Tenant,
    otherTenant: Tenant,
    private readonly findings: Findings,
  ) {
    this.#shown = pathsTo(tenant);
    this.#refused = { [`/api/v1/blogs/${otherTenant.blogId}`]: 404, '/api/v1/blogs?limit=0': 400 };
  }

  async use(stopping: AbortSignal): Promise<void> {
    for (let n = 0; !stopping.aborted; n++) {
      for (const path of this.#shown) await this.#look(path, n);
      if (n % REFUSED_EVERY > 0) continue;
      for (const [path, status] of Object.entries(this.#refused)) await this.#tryWithoutKey(path, status);
    }
  }

  /** Sends no ETag, the latest one or an older one in turn. A 304 stands for the answer of the sent ETag. */
  async #look(path: string, n: number): Promise<void> {
    const [latest, earlier] = this.#seen.get(path) ?? [NOTHING, NOTHING];
    const held = [NOTHING, latest, earlier][n % 3] ?? NOTHING;
    const answer = await this.#ask(path, held.etag);
    if (answer === null) return;
    if (answer.status !== 200 && answer.status !== 304) return this.#complain(path, `${answer.status}`);
    if (answer.status === 200) this.#compareTime(path, PUBLISHED_AT.exec(answer.text)?.[1]);
    const shown = answer.status === 304 ? held : { edit: editShown(answer.text), etag: answer.etag };
    if (shown.edit < latest.edit) this.#complain(path, `edit ${shown.edit} after edit ${latest.edit}`);
    if (shown.edit !== latest.edit) this.#seen.set(path, [shown, latest]);
  }

  #compareTime(path: string, publishedAt: string | undefined): void {
    this.#publishedAt ??= publishedAt;
    if (publishedAt !== this.#publishedAt) {
      this.#complain(path, `a blog published at ${publishedAt}, and at ${this.#publishedAt} before`);
    }
  }

  async #tryWithoutKey(path: string, expected: number): Promise<void> {
    const answer = await this.#ask(path);
    if (answer !== null && answer.status !== expected) this.#complain(path, `${answer.status}`);
  }

  async #ask(path: string, etag?: string): Promise<Observed | null> {
    await pause(ASK_EVERY_MS);
    return this.api.get(this.tenant, path, etag);
  }

  #complain(path: string, shown: string): void {
    this.findings.add(
      `${this.api.name} showed a client of ${this.tenant.organizationId} ${shown}, on ${path}`,
    );
  }
}

/** All addresses under which a tenant finds its blog. */
function pathsTo({ organizationId, blogId }: Tenant): readonly string[] {
  const website = encodeURIComponent(`web of ${organizationId}`);
  return [
    '/api/v1/blogs',
    `/api/v1/blogs/${blogId}`,
    '/api/v1/blogs?search=CANARY&limit=5',
    `/api/v1/blogs/slug/${blogId}?website_id=${website}`,
  ];
}
