import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../../support/dashboards/dashboard.js';
import type { Client, Company } from '../chaos.js';
import type { Observed, ObservedApi } from '../observed-api.js';
import { commitsWereLost } from '../troubles.js';

const ASK_EVERY_MS = 100;
/** The pause also applies if every move counts as forgotten. */
const BETWEEN_MOVES_MS = 1_000;
const WEBSITE = 'web of wanderers';
/** The promise to the former owner. */
const HIDDEN_WITHIN_MS = 1_000;
/**
 * A busy or failed worker applies nothing: once an edit that was committed after the move is shown, the worker has
 * reached the move.
 */
const SEEN_AFTER_MS = 500;
/** The limit without database failures. */
const AT_LAST_MS = 10_000;
const RECOVERY_MS = 5_000;

interface Move {
  readonly number: number;
  readonly from: Tenant;
  readonly to: Tenant;
  readonly committedAt: number;
  /** For each process, when it showed the mark that was set after the move. */
  readonly marked: Map<ObservedApi, number>;
}

/** A large website that moves between two organizations: soon after a move, its former owner sees none of it. */
export class WanderingWebsite implements Client {
  readonly #reported = new Set<number>();
  /** The number of answers to a former owner that were late enough to be judged. */
  judged = 0;

  private constructor(
    private readonly company: Company,
    private readonly owners: readonly [Tenant, Tenant],
    private readonly blogs: number,
  ) {}

  /** The new owner's own blog is the mark: it is edited after each move. */
  static async of(
    company: Company,
    owners: readonly [Tenant, Tenant],
    blogs: number,
  ): Promise<WanderingWebsite> {
    const { traffic } = company;
    await traffic.change(
      `insert into websites (id, organization_id, name) values ($1, $2, '') on conflict (id) do nothing`,
      [WEBSITE, owners[0].organizationId],
    );
    await traffic.change(
      `insert into blogs (id, website_id, title, slug, content_html, status, published_at)
       select 'wanderer ' || n, $1, 'Wanderer ' || n, 'wanderer-' || n, repeat('On the road. ', 100), 'published', now()
       from generate_series(1, $2::int) n on conflict (id) do nothing`,
      [WEBSITE, blogs],
    );
    return new WanderingWebsite(company, owners, blogs);
  }

  async use(stopping: AbortSignal): Promise<void> {
    const { apis } = this.company.installation;
    for (let number = 1; !stopping.aborted; number++) {
      await pause(BETWEEN_MOVES_MS);
      const [from, to] = number % 2 === 1 ? this.owners : ([...this.owners].reverse() as [Tenant, Tenant]);
      const move = await this.#move(number, from, to);
      const settled = new Set<ObservedApi>();
      while (!stopping.aborted && settled.size < apis.length && !this.#isForgotten(move)) {
        for (const api of apis) {
          await pause(ASK_EVERY_MS);
          await this.#lookForMark(api, move);
          await this.#checkFormerOwner(api, move);
          const seen = await this.#countFor(api, to);
          if (seen?.count === this.blogs) settled.add(api);
        }
      }
    }
  }

  async #move(number: number, from: Tenant, to: Tenant): Promise<Move> {
    const { traffic } = this.company;
    await traffic.change('update websites set organization_id = $1 where id = $2', [
      to.organizationId,
      WEBSITE,
    ]);
    const committedAt = performance.now();
    await traffic.change('update blogs set title = $1 where id = $2', [`moved; ${number};`, to.blogId]);
    return { number, from, to, committedAt, marked: new Map() };
  }

  async #lookForMark(api: ObservedApi, { number, to, marked }: Move): Promise<void> {
    if (marked.has(api)) return;
    const answer = await api.get(to, `/api/v1/blogs/${encodeURIComponent(to.blogId)}`);
    if (answer?.text.includes(`moved; ${number};`)) marked.set(api, answer.receivedAt);
  }

  async #checkFormerOwner(api: ObservedApi, move: Move): Promise<void> {
    const seen = await this.#countFor(api, move.from);
    if (
      seen === null ||
      !this.#isLate(seen.sentAt, seen.receivedAt, move.marked.get(api), move.committedAt)
    ) {
      return;
    }
    this.judged++;
    if (seen.count === 0 || this.#reported.has(move.number)) return;
    this.#reported.add(move.number);
    const late = (seen.sentAt - move.committedAt).toFixed(0);
    this.company.findings.add(
      `${api.name} showed the former owner of a website ${seen.count} of its blogs, ${late} ms after it was moved`,
    );
  }

  #isLate(
    sentAt: number,
    receivedAt: number,
    markedAt = Number.POSITIVE_INFINITY,
    committedAt: number,
  ): boolean {
    const { troubles } = this.company;
    if (sentAt < committedAt + HIDDEN_WITHIN_MS) return false;
    if (commitsWereLost(troubles, committedAt, receivedAt)) return false;
    if (sentAt > markedAt + SEEN_AFTER_MS) return true;
    if (troubles.overlap(/database|worker/, committedAt, receivedAt, RECOVERY_MS)) return false;
    return sentAt > committedAt + AT_LAST_MS;
  }

  async #countFor(api: ObservedApi, tenant: Tenant): Promise<(Observed & { readonly count: number }) | null> {
    const path = `/api/v1/blogs?limit=1&website_id=${encodeURIComponent(WEBSITE)}`;
    const answer = await api.get(tenant, path);
    if (answer === null) return null;
    if (answer.status !== 200) {
      this.company.findings.add(`${api.name} answered the owner of a website with ${answer.status}`);
      return null;
    }
    return { ...answer, count: JSON.parse(answer.text).pagination.total };
  }

  #isForgotten({ committedAt }: Move): boolean {
    return commitsWereLost(this.company.troubles, committedAt, performance.now());
  }
}
