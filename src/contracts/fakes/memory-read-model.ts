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
import { nextGeneration } from '../../domain/policies/next-generation.js';
import { compareCodePoints } from '../../domain/policies/ordering.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import { isInScope } from './is-in-scope.js';
import { MemoryHiddenWebsites } from './memory-hidden-websites.js';
import { MemoryJobQueue } from './memory-job-queue.js';
import { MemoryLead } from './memory-leadership.js';
import { MemoryUnshownRows } from './memory-unshown-rows.js';

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
    const organizationIds = new Set<string>(raisesAll ? this.#generations.keys() : []);
    let changedRows = 0;
    const moved: Moved = { owners: [], former: [] };
    let settled = jobs.filter(({ kind }) => kind === 'finish').length;
    for (const slice of slices) {
      settled += this.#unshown.replace(slice);
      changedRows += this.#replace(slice, organizationIds, moved);
    }
    for (const update of jobs) this.jobs.update(update);
    for (const owner of [...owners, ...moved.owners]) {
      const holders = [...this.#holders(), ...moved.former];
      for (const id of await this.#hidden.hide(owner, holders)) organizationIds.add(id);
    }
    if (settled > 0) await this.#hidden.deleteSettled(this.#holders(), this.#organizationsOfOutdated());
    return { changedRows, raised: this.#raise([...organizationIds]) };
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
    changedOrganizations: Set<string>,
    moved: Moved,
  ): number {
    const table = this.#tables[kind];
    const incoming = new Map(rows.map((row) => [row.id, row]));
    const changedIds = ids.filter((id) => !isDeepStrictEqual(table.get(id), incoming.get(id)));
    for (const id of changedIds) {
      const [old, row] = [table.get(id), incoming.get(id)];
      if (old !== undefined) changedOrganizations.add(old.organizationId);
      if (row !== undefined) changedOrganizations.add(row.organizationId);
      if (row === undefined) table.delete(id);
      else table.set(id, row);
      if (old === undefined || row === undefined || old.organizationId === row.organizationId) continue;
      if (!('websiteId' in row && 'websiteId' in old)) continue;
      moved.owners.push(row);
      if (old.websiteId === row.websiteId) moved.former.push(old);
    }
    return changedIds.length;
  }

  #raise(organizationIds: readonly string[]): readonly RaisedGeneration[] {
    const generation = nextGeneration(this.newestGeneration, this.clock.now());
    return organizationIds.map((organizationId) => {
      this.#generations.set(organizationId, generation);
      return { organizationId, generation };
    });
  }
}
