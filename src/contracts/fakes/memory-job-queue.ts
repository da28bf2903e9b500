import type { Job, JobUpdate, Scope } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { MemoryUnshownRows } from './memory-unshown-rows.js';

export class MemoryJobQueue implements JobQueue {
  #jobs: readonly Job[] = [];
  readonly #nextTries = new Map<number, number>();
  /** The order of the last steps. */
  readonly #steps = new Map<number, number>();
  #lastId = 0;
  #lastStep = 0;

  constructor(
    private readonly clock: Clock,
    private readonly unshown: MemoryUnshownRows,
  ) {
    // As for empty read tables: the first job is the fill.
    this.#add({ kind: 'everything' });
    this.#add({ kind: 'reconcile' });
  }

  async next(...lanes: readonly (readonly Scope['kind'][])[]): Promise<Job | null> {
    const due = this.#due();
    const isFirst = ({ id, scope }: Job) =>
      'keys' in scope || due.find((job) => job.scope.kind === scope.kind)?.id === id;
    for (const scopes of lanes) {
      const jobs = due.filter((job) => scopes.includes(job.scope.kind) && isFirst(job));
      const since = ({ id }: Job) => this.#steps.get(id) ?? 0;
      const [job] = jobs.toSorted((a, b) => since(a) - since(b));
      if (job !== undefined) return job;
    }
    return null;
  }

  async unfinished(scopes: readonly Scope['kind'][]): Promise<readonly Job[]> {
    return this.#jobs.filter(({ scope }) => scopes.includes(scope.kind));
  }

  async requestEverything(): Promise<number> {
    const unfinished = this.#jobs.find(({ scope }) => scope.kind === 'everything');
    return unfinished?.id ?? this.#add({ kind: 'everything' });
  }

  async retryWaiting(): Promise<void> {
    this.#nextTries.clear();
    this.unshown.retry();
  }

  async find(id: number): Promise<Job | null> {
    return this.#jobs.find((job) => job.id === id) ?? null;
  }

  update(update: JobUpdate): void {
    switch (update.kind) {
      case 'add':
        this.#addMissing(update.scope);
        break;
      case 'advance':
        this.#change(update.id, ({ attempts }) => ({
          progress: update.progress,
          attempts: Math.max(attempts - 1, 0),
        }));
        this.#steps.set(update.id, ++this.#lastStep);
        break;
      case 'fail':
        this.#change(update.id, ({ attempts }) => ({ attempts: attempts + 1 }));
        this.#nextTries.set(update.id, this.clock.now() + update.retryAfterMs);
        break;
      case 'finish':
        this.#jobs = this.#jobs.filter(({ id }) => id !== update.id);
    }
  }

  #due(): readonly Job[] {
    const now = this.clock.now();
    return this.#jobs.filter(({ id }) => (this.#nextTries.get(id) ?? now) <= now);
  }

  #change(id: number, changed: (job: Job) => Partial<Job>): void {
    this.#jobs = this.#jobs.map((job) => (job.id === id ? { ...job, ...changed(job) } : job));
  }

  #addMissing(scope: Scope): void {
    const keysOf = (of: Scope) => ('keys' in of ? of.keys : null);
    const waiting = this.#jobs.filter(
      (job) => (job.progress === null || job.attempts > 0) && job.scope.kind === scope.kind,
    );
    for (const { id, attempts, scope: joined } of waiting) {
      if (attempts === 0 || keysOf(joined)?.some((key) => keysOf(scope)?.includes(key)) === false) continue;
      this.#change(id, () => ({ progress: null }));
      this.#nextTries.delete(id);
    }
    if (!('keys' in scope)) {
      if (waiting.length === 0) this.#add(scope);
      return;
    }
    const covered = new Set(waiting.flatMap((job) => keysOf(job.scope) ?? []));
    const keys = scope.keys.filter((key) => !covered.has(key));
    if (keys.length > 0) this.#add({ ...scope, keys });
  }

  #add(scope: Scope): number {
    const id = ++this.#lastId;
    this.#jobs = [...this.#jobs, { id, scope, progress: null, attempts: 0 }];
    return id;
  }
}
