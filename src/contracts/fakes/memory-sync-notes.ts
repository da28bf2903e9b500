import { randomUUID } from 'node:crypto';
import type { CaptureChange, CaptureLook, NotedCapture } from '../../domain/model/capture.js';
import { captureChange } from '../../domain/policies/capture-change.js';
import type { DatabaseIdentity, SyncedDatabase, SyncNotes } from '../../domain/ports/sync/sync-notes.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemorySyncNotes implements SyncNotes {
  readonly #identity = { systemIdentifier: 'memory', databaseOid: randomUUID(), timeline: 1 };
  readonly #lastIdentities = new Map<SyncedDatabase, DatabaseIdentity>();
  #noted: NotedCapture = { seen: null, isBroken: false };

  constructor(private readonly readModel: Pick<MemoryReadModel, 'lead' | 'jobs'>) {}

  async identity(): Promise<DatabaseIdentity> {
    return this.#identity;
  }

  async lastIdentity(database: SyncedDatabase): Promise<DatabaseIdentity | null> {
    return this.#lastIdentities.get(database) ?? null;
  }

  async remember(database: SyncedDatabase, identity: DatabaseIdentity): Promise<void> {
    this.#lastIdentities.set(database, identity);
  }

  async noteCapture(epoch: number, look: CaptureLook): Promise<CaptureChange> {
    this.readModel.lead.require(epoch);
    const { change, noted, jobs } = captureChange(this.#noted, look);
    for (const update of jobs) this.readModel.jobs.update(update);
    this.#noted = noted;
    return change;
  }
}
