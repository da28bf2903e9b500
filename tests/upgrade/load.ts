import { setTimeout as pause } from 'node:timers/promises';
import { editShown } from '../chaos/dashboard-traffic.js';
import type { Findings } from '../chaos/findings.js';
import { StallWatch } from '../chaos/stall-watch.js';
import { Troubles } from '../chaos/troubles.js';
import type { Tenant } from '../support/dashboards/dashboard.js';
import type { Fleet, Member } from './fleet.js';

export const LIMIT = { max: 100, windowSeconds: 10 };
const READ_EVERY_MS = 200;
const ASK_EVERY_MS = 250;
/** The simultaneous requests of one key: several times what its window allows. */
const GREEDY_AT_ONCE = 8;
/** After this time, all processes have to show an edit that one of them has shown, even on a busy machine. */
const SHOWN_BY_ALL_MS = 3_000;
/** Redis counts in whole milliseconds, by its own clock. */
const TOLERANCE_MS = 5;
/** How long after a slow read database a 500 may be its consequence. */
const RECOVERY_MS = 5_000;
const CANARY = /canary of (\w+);/g;

interface Shown {
  readonly edit: number;
  readonly at: number;
}

interface Admitted {
  readonly release: string;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Clients of a fleet, which check invariants. */
export class Load {
  readonly #stopping = new AbortController();
  readonly #working: Promise<unknown>;
  readonly #shown = new Map<string, Shown[]>();
  readonly #byMember = new Map<string, number>();
  readonly #admitted: Admitted[] = [];
  #taken = 0;
  readonly #answers = new Map<string, number>();
  readonly #troubles = new Troubles();
  #failed: { readonly what: string; readonly from: number; readonly to: number }[] = [];

  constructor(
    private readonly fleet: Fleet,
    tenants: readonly Tenant[],
    greedy: Tenant,
    private readonly findings: Findings,
    readDatabaseUrl: string,
  ) {
    this.#working = Promise.all([
      new StallWatch(readDatabaseUrl, 'read database', this.#troubles).use(this.#stopping.signal),
      ...tenants.map((tenant) => this.#read(tenant)),
      ...Array.from({ length: GREEDY_AT_ONCE }, () => this.#ask(greedy)),
    ]);
  }

  /** How many successful answers each release has given since the last call. */
  takeAnswers(): Readonly<Record<string, number>> {
    const answers = Object.fromEntries(this.#answers);
    this.#answers.clear();
    return answers;
  }

  /**
   * How many requests of the greedy key each release has accepted since the last call, and the most within one
   * window.
   */
  takeWindows(): { readonly admitted: Readonly<Record<string, number>>; readonly most: number } {
    const all = this.#admitted.toSorted((a, b) => a.sentAt - b.sentAt);
    const lengthMs = LIMIT.windowSeconds * 1000 - TOLERANCE_MS;
    const counts = all.map(
      ({ sentAt: from }) =>
        all.filter(({ sentAt, receivedAt }) => sentAt >= from && receivedAt < from + lengthMs).length,
    );
    const admitted: Record<string, number> = {};
    for (const { release } of this.#admitted.slice(this.#taken)) {
      admitted[release] = (admitted[release] ?? 0) + 1;
    }
    this.#taken = this.#admitted.length;
    return { admitted, most: Math.max(0, ...counts) };
  }

  /**
   * Returns how many requests failed since the last call while the computer was too slow for the read database. Each
   * other failure is a finding.
   */
  judgeFailures(): number {
    const failed = this.#failed;
    this.#failed = [];
    const others = failed.filter(
      ({ from, to }) => !this.#troubles.overlap('read database', from, to, RECOVERY_MS),
    );
    for (const { what } of others) this.findings.add(what);
    return failed.length - others.length;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  async #read(tenant: Tenant): Promise<void> {
    const website = encodeURIComponent(`web of ${tenant.organizationId}`);
    const paths = [
      '/api/v1/blogs',
      `/api/v1/blogs/${tenant.blogId}`,
      '/api/v1/blogs?search=CANARY&limit=5',
      `/api/v1/blogs/slug/${tenant.blogId}?website_id=${website}`,
    ];
    const etags = new Map<string, { readonly etag: string; readonly edit: number }>();
    for (let n = 0; !this.#stopping.signal.aborted; n++) {
      const path = paths[n % paths.length] ?? '';
      const held = n % 3 === 0 ? undefined : etags.get(path);
      await this.#look(tenant, path, held, (etag, edit) => etags.set(path, { etag, edit }));
      await pause(READ_EVERY_MS);
    }
  }

  async #look(
    tenant: Tenant,
    path: string,
    held: { readonly etag: string; readonly edit: number } | undefined,
    keep: (etag: string, edit: number) => void,
  ): Promise<void> {
    const sentAt = performance.now();
    const member = this.fleet.pick();
    const answer = await this.#send(member, tenant, path, held?.etag);
    if (answer === null) return;
    const { status, text, etag } = answer;
    const complain = (what: string) =>
      this.findings.add(`${member.release} showed ${tenant.organizationId} ${what}, on ${path}`);
    if (status === 500) {
      const what = `${member.release} answered ${path} with 500`;
      this.#failed.push({ what, from: sentAt, to: performance.now() });
      return;
    }
    if (status !== 200 && status !== 304) return complain(`${status} ${text}`);
    this.#answers.set(member.release, (this.#answers.get(member.release) ?? 0) + 1);
    for (const [, owner] of text.matchAll(CANARY)) {
      if (owner !== tenant.organizationId) complain(`what belongs to ${owner}`);
    }
    const edit = status === 304 && held !== undefined ? held.edit : editShown(text);
    if (etag !== null) keep(etag, edit);

    const ofMember = `${member.address} ${path} ${tenant.organizationId}`;
    const before = this.#byMember.get(ofMember) ?? 0;
    if (edit < before) complain(`edit ${edit} after edit ${before}`);
    this.#byMember.set(ofMember, edit);
    const shown = this.#shown.get(tenant.organizationId) ?? [];
    const longAgo = shown.filter(({ at }) => at < sentAt - SHOWN_BY_ALL_MS);
    const newest = Math.max(0, ...longAgo.map((each) => each.edit));
    if (edit < newest) complain(`edit ${edit}, although all have to show edit ${newest} by now`);
    // Of the old edits, the newest one is enough.
    const later = shown.filter((each) => !longAgo.includes(each) || each.edit === newest);
    this.#shown.set(tenant.organizationId, [...later, { edit, at: performance.now() }]);
  }

  async #ask(tenant: Tenant): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const sentAt = performance.now();
      const member = this.fleet.pick();
      const answer = await this.#send(member, tenant, '/api/v1/tags');
      if (answer?.status === 200) {
        this.#admitted.push({ release: member.release, sentAt, receivedAt: performance.now() });
      } else if (answer !== null && ![429, 500].includes(answer.status)) {
        this.findings.add(`${member.release} answered a greedy client with ${answer.status}`);
      }
      await pause(ASK_EVERY_MS);
    }
  }

  async #send(member: Member, { key }: Tenant, path: string, etag?: string) {
    const headers = { 'X-API-Key': key, ...(etag !== undefined && { 'If-None-Match': etag }) };
    try {
      const answer = await fetch(`${member.address}${path}`, { headers });
      return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      this.findings.add(`${member.release} did not answer ${path}: ${String(cause)}`);
      return null;
    }
  }
}
