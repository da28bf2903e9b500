import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { type Extended, extendedWorker } from '../../../src/composition/extensions/extend.js';
import type { Extension, WorkerAdditions } from '../../../src/composition/extensions/extension.js';
import {
  type SyncConfiguration,
  syncConfiguration,
} from '../../../src/composition/settings/configuration.js';
import type { Environment } from '../../../src/composition/settings/read-settings.js';
import { MemoryGenerations } from '../../../src/contracts/fakes/memory-generations.js';
import { MemoryLeadership } from '../../../src/contracts/fakes/memory-leadership.js';
import type { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemorySyncNotes } from '../../../src/contracts/fakes/memory-sync-notes.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';

export interface ConfiguredWorker {
  readonly settings: SyncConfiguration;
  readonly extended: Extended<WorkerAdditions>;
}

/** What the command creates from these extensions, each named after its position, and from the remaining settings. */
export function workerWith(
  extensions: readonly Extension[],
  environment: Environment = {},
): ConfiguredWorker {
  const named = extensions.map((extension, index) => ({ name: `extension-${index + 1}`, ...extension }));
  const given = { LOG_LEVEL: 'silent', SYNC_POLL_MS: '10', ...environment };
  const { settings, problems } = syncConfiguration(given);
  return { settings, extended: { ...extendedWorker(named, given), wrongSettings: problems } };
}

export function workerProgram({ settings, extended }: ConfiguredWorker): SyncProgram {
  return new SyncProgram(settings, new PrometheusMetrics(), process.stdout, extended);
}

/** All ports of the read tables, on a store of an extension. A leader that has stopped counts as frozen at once. */
export function readModelOf(model: MemoryReadModel, notes = new MemorySyncNotes(model)): Extension {
  return {
    worker: (bind) => {
      bind('leadership', () => new MemoryLeadership(model.lead, 0));
      bind('readModelWriter', () => model);
      bind('jobQueue', () => model.jobs);
      bind('syncNotes', () => notes);
      bind('generationTable', () => new MemoryGenerations(model));
    },
  };
}
