import type { Scope, WorkItem, WorkUpdate } from '../../domain/model/sync-work.js';
import type { WorkList } from '../../domain/ports/work-list.js';

export class MemoryWorkList implements WorkList {
  #items: readonly WorkItem[] = [];
  #lastId = 0;

  constructor() {
    // As where nothing was ever filled.
    this.#add({ of: 'everything' });
    this.#add({ of: 'check' });
  }

  async next(scopes: readonly Scope['of'][]): Promise<WorkItem | null> {
    return this.#items.find(({ scope }) => scopes.includes(scope.of)) ?? null;
  }

  async requestEverything(): Promise<number> {
    const unfinished = await this.next(['everything']);
    return unfinished?.id ?? this.#add({ of: 'everything' });
  }

  async find(id: number): Promise<WorkItem | null> {
    return this.#items.find((item) => item.id === id) ?? null;
  }

  update(update: WorkUpdate): void {
    switch (update.kind) {
      case 'add':
        this.#addMissing(update.scope);
        break;
      case 'advance':
        this.#items = this.#items.map((item) =>
          item.id === update.id ? { ...item, progress: update.progress } : item,
        );
        break;
      case 'finish':
        this.#items = this.#items.filter(({ id }) => id !== update.id);
    }
  }

  #addMissing(scope: Scope): void {
    const waiting = this.#items.filter((item) => item.scope.of === scope.of && item.progress === null);
    if (!('keys' in scope)) {
      if (waiting.length === 0) this.#add(scope);
      return;
    }
    const covered = new Set(waiting.flatMap((item) => ('keys' in item.scope ? item.scope.keys : [])));
    const keys = scope.keys.filter((key) => !covered.has(key));
    if (keys.length > 0) this.#add({ ...scope, keys });
  }

  #add(scope: Scope): number {
    const id = ++this.#lastId;
    this.#items = [...this.#items, { id, scope, progress: null }];
    return id;
  }
}
