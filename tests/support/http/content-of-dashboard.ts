import type { Knex } from 'knex';
import { websiteOf } from '../../../src/contracts/support/rows.js';
import type { ApiKey } from '../../../src/domain/model/api-key.js';
import type { RowKind, RowTypes } from '../../../src/domain/model/read-model.js';
import {
  SHOWN_STATUS,
  type SourceBlog,
  type SourceCategory,
  type SourceTag,
  type SourceTypes,
} from '../../../src/domain/model/source.js';
import { putOwners, putRow, removeFromDashboard } from '../dashboards/dashboard-rows.js';
import { SettledSync } from '../sync/settled-sync.js';
import type { SyncedDatabases } from '../sync/synced-databases.js';
import type { Content } from './content-of-read-model.js';

type Term = SourceCategory | SourceTag;

function isTerms(kind: RowKind): kind is 'categories' | 'tags' {
  return kind === 'categories' || kind === 'tags';
}

/** Puts rows into a dashboard, and has the sync bring them into the read tables. */
export class ContentOfDashboard implements Content {
  readonly #keys = new Map<string, ApiKey>();
  readonly #terms = { categories: new Map<string, Term>(), tags: new Map<string, Term>() };
  readonly #organizationOf = new Map<string, string>();

  private constructor(
    private readonly databases: SyncedDatabases,
    private readonly sync: SettledSync,
  ) {}

  static async open(databases: SyncedDatabases): Promise<ContentOfDashboard> {
    const sync = await SettledSync.open(databases);
    await sync.settle();
    return new ContentOfDashboard(databases, sync);
  }

  async close(): Promise<void> {
    await this.sync.close();
    await this.databases.close();
  }

  async put<Kind extends RowKind>(kind: Kind, rows: readonly RowTypes[Kind][]): Promise<void> {
    await this.#edit(async (database) => {
      for (const row of rows) await this.#put(database, kind, SOURCE_OF[kind](row));
    });
  }

  async bringOver<Kind extends RowKind>(kind: Kind, source: SourceTypes[Kind]): Promise<void> {
    await this.#edit((database) => this.#put(database, kind, source));
  }

  async remove(kind: RowKind, ids: readonly string[]): Promise<void> {
    await this.#edit(async (database) => {
      for (const id of ids) {
        await removeFromDashboard(database, kind, id);
        if (isTerms(kind)) this.#terms[kind].delete(id);
      }
    });
  }

  /** Runs one transaction of the dashboard and all the sync work that results from it. */
  async #edit(edit: (database: Knex) => Promise<void>): Promise<void> {
    await this.databases.dashboard.transaction(edit);
    await this.sync.settle();
  }

  async #put<Kind extends RowKind>(database: Knex, kind: Kind, row: SourceTypes[Kind]): Promise<void> {
    const { organizationId, websiteId } = { websiteId: null, ...row };
    await this.#putOwners(database, organizationId, websiteId);
    if ('hash' in row) await this.#makeRoomFor(database, row);
    if ('contentHtml' in row) await this.#putTermsOf(database, row);
    if ('sortOrder' in row) await this.#putParentOf(database, row);
    await putRow(database, kind, row);
    if (isTerms(kind)) this.#terms[kind].set(row.id, row as unknown as Term);
  }

  async #putOwners(database: Knex, organizationId: string, websiteId: string | null): Promise<void> {
    const owned = websiteId ?? `keys of ${organizationId}`;
    if (this.#organizationOf.get(owned) === organizationId) return;
    await putOwners(database, organizationId, websiteId);
    this.#organizationOf.set(owned, organizationId);
  }

  /** A dashboard restores no key that was revoked or has expired: it creates another one. */
  async #makeRoomFor(database: Knex, key: ApiKey): Promise<void> {
    const before = this.#keys.get(key.id);
    this.#keys.set(key.id, key);
    if (before === undefined) return;
    const isOver = before.revokedAt !== null || (before.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now();
    if (isOver) await removeFromDashboard(database, 'apiKeys', key.id);
  }

  async #putTermsOf(database: Knex, blog: SourceBlog): Promise<void> {
    for (const kind of ['categories', 'tags'] as const) {
      for (const term of blog[kind]) {
        const { organizationId, name, slug } = term;
        const present = this.#terms[kind].get(term.id);
        if (present?.name === name && present.slug === slug) continue;
        const isOwn = organizationId === blog.organizationId;
        const websiteId = isOwn ? blog.websiteId : websiteOf(organizationId);
        await this.#put(database, kind, { ...BARE, ...term, websiteId, ...present, name, slug });
      }
    }
  }

  async #putParentOf(database: Knex, { parentId, parentOrganizationId, ...child }: SourceCategory) {
    if (parentId === null || parentOrganizationId === null || this.#terms.categories.has(parentId)) return;
    const isOwn = parentOrganizationId === child.organizationId;
    const websiteId = isOwn ? child.websiteId : websiteOf(parentOrganizationId);
    const parent = {
      id: parentId,
      organizationId: parentOrganizationId,
      websiteId,
      name: parentId,
      slug: parentId,
    };
    await this.#put(database, 'categories', { ...BARE, ...parent });
  }
}

/** The fields of a term that a test does not set. */
const BARE = {
  color: '#888888',
  description: '',
  parentId: null,
  parentOrganizationId: null,
  sortOrder: 0,
};

/** The row of the dashboard that is shown as the given row. */
const SOURCE_OF: { readonly [Kind in RowKind]: (row: RowTypes[Kind]) => SourceTypes[Kind] } = {
  apiKeys: (key) => key,
  categories: (row) => ({
    ...row,
    parentOrganizationId: row.parentId === null ? null : row.organizationId,
  }),
  tags: (row) => row,
  blogs: ({ foldedTitle, ...row }) => {
    const owned = <Row extends object>(term: Row) => ({ ...term, organizationId: row.organizationId });
    return {
      ...row,
      status: SHOWN_STATUS,
      categories: row.categories.map((term) => ({ ...owned(term), sortOrder: 0 })),
      tags: row.tags.map(owned),
    };
  },
};
