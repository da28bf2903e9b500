import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresTagReader } from '../../../../src/adapters/postgres/read/postgres-tag-reader.js';
import { PostgresWebhookDeliveries } from '../../../../src/adapters/postgres/write/postgres-webhook-deliveries.js';
import { TellEndpoints } from '../../../../src/application/sync/tell-endpoints.js';
import { MemoryMetrics } from '../../../../src/contracts/fakes/memory-metrics.js';
import { MemoryWebhookSender } from '../../../../src/contracts/fakes/memory-webhook-sender.js';
import type { BlogDetail } from '../../../../src/domain/model/blog.js';
import type { WebhookMessage, WebhookRefusal } from '../../../../src/domain/model/webhook.js';
import { SettableClock } from '../../../support/clock/settable-clock.js';
import { RecordingLog } from '../../../support/programs/recording-log.js';
import { endpointAt } from '../../../support/webhooks/receiver.js';

const ANY = { categorySlug: null, tagSlug: null, foldedTitlePart: null };
const ALL = { offset: 0, limit: 10_000 };
const REFUSAL: WebhookRefusal = { reason: 'refused', retryAfterMs: 0, isGone: false };
/** Longer than any pause after a failure. */
const HOUR_MS = 3_600_000;

export type Answer = 'accepted' | 'refused' | 'lost';

type Pages = Map<string, unknown>;

/** A website that asks the API only for what messages name: it keeps what each address shows. */
class ToldWebsite {
  /** By organization. */
  readonly pages = new Map<string, Pages>();

  constructor(
    private readonly readTables: Knex,
    /** Null: of all. */
    readonly websiteId: string | null,
  ) {}

  async receive({ organizationId, blogs, terms }: WebhookMessage): Promise<void> {
    const pages = this.pages.get(organizationId) ?? new Map<string, unknown>();
    this.pages.set(organizationId, pages);
    if (blogs === null) await this.#renewBlogs(organizationId, pages);
    const reader = new PostgresBlogReader(this.readTables);
    for (const { id, slug, websiteId } of blogs ?? []) {
      this.#put(pages, `blog ${id}`, await reader.findById(organizationId, id));
      this.#put(pages, `${websiteId} ${slug}`, await reader.findBySlug(organizationId, websiteId, slug));
    }
    if (terms) await this.#renewTerms(organizationId, pages);
  }

  /** What the API shows now. */
  async expected(organizationId: string): Promise<Pages> {
    const pages: Pages = new Map();
    await this.#renewBlogs(organizationId, pages);
    await this.#renewTerms(organizationId, pages);
    return pages;
  }

  async #renewBlogs(organizationId: string, pages: Pages): Promise<void> {
    for (const address of pages.keys()) if (address !== 'terms') pages.delete(address);
    const reader = new PostgresBlogReader(this.readTables);
    const { websiteId } = this;
    for (const blog of (await reader.list(organizationId, { websiteId, ...ANY }, ALL)).blogs) {
      const { id, slug } = blog;
      this.#put(pages, `blog ${id}`, await reader.findById(organizationId, id));
      const bySlug = await reader.findBySlug(organizationId, blog.websiteId, slug);
      this.#put(pages, `${blog.websiteId} ${slug}`, bySlug);
    }
  }

  async #renewTerms(organizationId: string, pages: Pages): Promise<void> {
    const readers = [new PostgresCategoryReader(this.readTables), new PostgresTagReader(this.readTables)];
    const lists = await Promise.all(readers.map((reader) => reader.list(organizationId, this.websiteId)));
    const terms = lists.flat().sort((one, other) => (one.id < other.id ? -1 : 1));
    if (terms.length > 0) pages.set('terms', terms);
    else pages.delete('terms');
  }

  #put(pages: Pages, address: string, blog: BlogDetail | null): void {
    if (blog !== null && (this.websiteId ?? blog.websiteId) === blog.websiteId) pages.set(address, blog);
    else pages.delete(address);
  }
}

/** Websites that are told while a history is lived, one of everything and one of a website. */
export class ToldWebsites {
  readonly #websites: ReadonlyMap<string, ToldWebsite>;
  readonly #clock = new SettableClock(Date.now());
  readonly #steps: TellEndpoints;
  #answer: Answer = 'accepted';
  /** How many messages named all that had changed. */
  named = 0;

  constructor(private readonly readTables: Knex) {
    const ids = [null, 'w1'];
    this.#websites = new Map(ids.map((id) => [`of ${id}`, new ToldWebsite(readTables, id)]));
    const endpoints = ids.map((websiteId) => ({ ...endpointAt(`of ${websiteId}`), websiteId }));
    const sender = new MemoryWebhookSender((url, message) => this.#receive(url, message));
    const deliveries = new PostgresWebhookDeliveries(readTables);
    const [metrics, log] = [new MemoryMetrics(), new RecordingLog()];
    this.#steps = new TellEndpoints(endpoints, deliveries, sender, this.#clock, metrics, log);
  }

  /** Those of another history are forgotten. */
  async begin(): Promise<void> {
    for (const table of ['endpoints', 'changes', 'deliveries'])
      await this.readTables.raw(`delete from content_read.webhook_${table}`);
    await this.tell('accepted');
  }

  /** Makes all calls that are due, if any worker ever led. */
  async tell(answer: Answer): Promise<void> {
    const { rows } = await this.readTables.raw('select epoch::int from content_read.sync_leader');
    if (rows.length === 0) return;
    const [{ epoch }] = rows;
    this.#answer = answer;
    await this.#steps.begin(epoch, 0);
    for (let looks = 0; looks < 2; looks++) {
      this.#clock.advance(HOUR_MS);
      for (const endpoint of (await this.#steps.look(epoch)).endpoints)
        while (await this.#steps.tell(epoch, endpoint)) {}
    }
  }

  async expectPresent(): Promise<void> {
    for (let times = 0; times < 2; times++) await this.tell('accepted');
    const { rows }: { rows: { id: string }[] } = await this.readTables.raw(
      'select organization_id as id from content_read.organizations',
    );
    for (const [name, website] of this.#websites) {
      const ids = new Set([...rows.map(({ id }) => id), ...website.pages.keys()]);
      for (const id of ids) {
        const pages = website.pages.get(id) ?? new Map();
        const place = `the pages of organization ${id} on a website that is told ${name}`;
        expect(sorted(pages), place).to.deep.equal(sorted(await website.expected(id)));
      }
    }
  }

  async #receive(url: string, message: WebhookMessage): Promise<WebhookRefusal | null> {
    if (this.#answer === 'refused') return REFUSAL;
    if (message.blogs !== null) this.named++;
    await this.#websites.get(url)?.receive(message);
    return this.#answer === 'accepted' ? null : REFUSAL;
  }
}

function sorted(pages: Pages): readonly (readonly [string, unknown])[] {
  return [...pages].sort(([one], [other]) => (one < other ? -1 : 1));
}
