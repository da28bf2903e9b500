import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../domain/model/job.js';
import type {
  DueRow,
  RaisedGeneration,
  ReadModelChange,
  ReadModelSlice,
  ReadModelUpdate,
  RowKind,
  RowTypes,
  WebsiteHolder,
  WebsiteOwner,
} from '../../domain/model/read-model.js';
import type { ContentChange } from '../../domain/model/webhook.js';
import { nextGeneration } from '../../domain/policies/next-generation.js';
import { compareCodePoints } from '../../domain/policies/ordering.js';
import { fewChanges } from '../../domain/policies/webhook-message.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import { isInScope } from './is-in-scope.js';
import { MemoryHiddenWebsites } from './memory-hidden-websites.js';
import { MemoryJobQueue } from './memory-job-queue.js';
import { MemoryLead } from './memory-leadership.js';
import { MemoryUnshownRows } from './memory-unshown-rows.js';

const EVERYTHING: ContentChange = { kind: 'everything', websiteId: null };

/** What changed in an organization, and the generation that shows it. */
export interface NotedChange {
  readonly generation: number;
  readonly change: ContentChange;
}

/** The effects of rows that came from another organization. */
interface Moved {
  readonly owners: WebsiteOwner[];
  readonly former: WebsiteHolder[];
}

/** The read tables of a process without a database. The other in-memory adapters read from them. */
export class MemoryReadModel implements ReadModelWriter {
  readonly #tables: { readonly [Kind in RowKind]: Map<string, RowTypes[Kind]> } = {
    apiKeys: new Map(),
    categories: new Map(),
    tags: new Map(),
    blogs: new Map(),
  };
  readonly #generations = new Map<string, number>();
  readonly #unshown: MemoryUnshownRows;
  readonly #hidden: MemoryHiddenWebsites;
  /** Of organizations of which an endpoint is told, until they are collected. */
  readonly noted = new Map<string, readonly NotedChange[]>();
  /** Set by the deliveries of webhooks. */
  isTold: (organizationId: string) => boolean = () => false;
  readonly lead: MemoryLead;
  readonly jobs: MemoryJobQueue;

  constructor(private readonly clock: Clock) {
    this.lead = new MemoryLead(clock);
    this.#unshown = new MemoryUnshownRows(clock);
    this.jobs = new MemoryJobQueue(clock, this.#unshown);
    this.#hidden = new MemoryHiddenWebsites(this.jobs);
  }

  /** In no particular order. */
  rowsOf<Kind extends RowKind>(kind: Kind, organizationId: string): readonly RowTypes[Kind][] {
    const hidden = this.#hidden.from(organizationId);
    const isHidden = (row: RowTypes[RowKind]) => 'websiteId' in row && hidden.has(row.websiteId);
    // A term may have moved to another website since.
    const isOfHidden = (kind: 'categories' | 'tags', id: string) => {
      const row = this.#tables[kind].get(id);
      return row !== undefined && (row.organizationId !== organizationId || isHidden(row));
    };
    const rows = this.rows(kind).filter((row) => row.organizationId === organizationId && !isHidden(row));
    if (hidden.size === 0) return rows;
    return rows.map((row) => {
      if ('parentId' in row && row.parentId !== null && isOfHidden('categories', row.parentId)) {
        return { ...row, parentId: null };
      }
      if (!('contentHtml' in row)) return row;
      return {
        ...row,
        categories: row.categories.filter(({ id }) => !isOfHidden('categories', id)),
        tags: row.tags.filter(({ id }) => !isOfHidden('tags', id)),
      };
    });
  }

  rows<Kind extends RowKind>(kind: Kind): readonly RowTypes[Kind][] {
    return [...this.#tables[kind].values()];
  }

  get generations(): ReadonlyMap<string, number> {
    return this.#generations;
  }

  get newestGeneration(): number {
    return [...this.#generations.values()].reduce((newest, generation) => Math.max(newest, generation), 0);
  }

  generationOf(organizationId: string): number {
    return this.#generations.get(organizationId) ?? 0;
  }

  /** Why a row is not shown; null: it is. */
  reasonNotToShow(kind: RowKind, id: string): string | null {
    return this.#unshown.of(kind).find((row) => row.id === id)?.reason ?? null;
  }

  unshownIds(kind: RowKind): readonly string[] {
    return this.#unshown.of(kind).map(({ id }) => id);
  }

  /** List counts are computed when they are read here, so none is recounted. */
  async write(
    epoch: number,
    { slices, jobs, owners = [], raisesAll = false }: ReadModelUpdate,
  ): Promise<ReadModelChange> {
    this.lead.require(epoch);
    const changes = new Map<string, ContentChange[]>();
    const change = (organizationId: string, ...some: readonly ContentChange[]) =>
      changes.set(organizationId, [...(changes.get(organizationId) ?? []), ...some]);
    if (raisesAll) for (const id of this.#generations.keys()) change(id, EVERYTHING);
    let changedRows = 0;
    const moved: Moved = { owners: [], former: [] };
    let settled = jobs.filter(({ kind }) => kind === 'finish').length;
    for (const slice of slices) {
      settled += this.#unshown.replace(slice);
      changedRows += this.#replace(slice, change, moved);
    }
    for (const update of jobs) this.jobs.update(update);
    for (const owner of [...owners, ...moved.owners]) {
      const holders = [...this.#holders(), ...moved.former];
      for (const id of await this.#hidden.hide(owner, holders)) change(id, EVERYTHING);
    }
    if (settled > 0) await this.#hidden.deleteSettled(this.#holders(), this.#organizationsOfOutdated());
    return { changedRows, raised: this.#raise(changes) };
  }

  async hiddenWebsites(): Promise<readonly string[]> {
    return this.#hidden.websiteIds();
  }

  async nextOrganizations(after: string | null, limit: number): Promise<readonly string[]> {
    return [...this.#generations.keys()]
      .filter((id) => after === null || compareCodePoints(id, after) > 0)
      .sort(compareCodePoints)
      .slice(0, limit);
  }

  async keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]> {
    const rows: readonly RowTypes[RowKind][] = this.rows(kind);
    const inScope = rows.filter((row) => isInScope(scope, row, this.#tables)).map(({ id }) => id);
    return [...new Set([...inScope, ...('keys' in scope ? [] : this.unshownIds(kind))])]
      .filter((id) => after === null || compareCodePoints(id, after) > 0)
      .sort(compareCodePoints)
      .slice(0, limit);
  }

  async anotherRow(kind: RowKind, id: string): Promise<string | null> {
    const unshown = this.unshownIds(kind);
    return this.rows(kind).find((row) => row.id !== id && !unshown.includes(row.id))?.id ?? null;
  }

  async unshown(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    return this.unshownIds(kind).filter((id) => ids.includes(id));
  }

  async countUnshown(kind: RowKind): Promise<number> {
    return this.unshownIds(kind).length;
  }

  async dueRows(limit: number): Promise<readonly DueRow[]> {
    return this.#unshown.due(limit);
  }

  #organizationsOfOutdated(): readonly string[] {
    return (['blogs', 'categories'] as const).flatMap((kind) =>
      this.unshownIds(kind).flatMap((id) => this.#tables[kind].get(id)?.organizationId ?? []),
    );
  }

  #holders(): readonly WebsiteHolder[] {
    return [...this.rows('blogs'), ...this.rows('categories'), ...this.rows('tags')];
  }

  /** Returns how many rows changed, and collects their organizations and what moved. */
  #replace<Kind extends RowKind>(
    { kind, ids, rows }: ReadModelSlice<Kind>,
    change: (organizationId: string, ...some: readonly ContentChange[]) => unknown,
    moved: Moved,
  ): number {
    const table = this.#tables[kind];
    const incoming = new Map(rows.map((row) => [row.id, row]));
    const changedIds = ids.filter((id) => !isDeepStrictEqual(table.get(id), incoming.get(id)));
    for (const id of changedIds) {
      const [old, row] = [table.get(id), incoming.get(id)];
      if (old !== undefined) change(old.organizationId, ...changesOf(old));
      if (row !== undefined) change(row.organizationId, ...changesOf(row));
      if (row === undefined) table.delete(id);
      else table.set(id, row);
      if (old === undefined || row === undefined || old.organizationId === row.organizationId) continue;
      if (!('websiteId' in row && 'websiteId' in old)) continue;
      moved.owners.push(row);
      if (old.websiteId === row.websiteId) moved.former.push(old);
    }
    return changedIds.length;
  }

  #raise(changes: ReadonlyMap<string, readonly ContentChange[]>): readonly RaisedGeneration[] {
    const generation = nextGeneration(this.newestGeneration, this.clock.now());
    return [...changes].map(([organizationId, some]) => {
      this.#generations.set(organizationId, generation);
      const noted = some.map((change) => ({ generation, change }));
      if (noted.length > 0 && this.isTold(organizationId))
        this.noted.set(organizationId, few([...(this.noted.get(organizationId) ?? []), ...noted]));
      return { organizationId, generation };
    });
  }
}

/** With the newest generation for those that are not kept. */
export function few(noted: readonly NotedChange[]): readonly NotedChange[] {
  const changes = noted.map(({ change }) => change);
  const kept = fewChanges(changes);
  const newest = Math.max(...noted.map(({ generation }) => generation));
  return kept === changes ? noted : kept.map((change) => ({ generation: newest, change }));
}

/** None of a key. */
function changesOf(row: RowTypes[RowKind]): readonly ContentChange[] {
  if (!('websiteId' in row)) return [];
  const { id, slug, websiteId } = row;
  return ['contentHtml' in row ? { kind: 'blog', id, slug, websiteId } : { kind: 'terms', websiteId }];
}
