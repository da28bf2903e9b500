import { MemoryGenerations } from '../../../src/adapters/memory/memory-generations.js';
import { MemoryLeadership } from '../../../src/adapters/memory/memory-leadership.js';
import type { MemoryReadModel } from '../../../src/adapters/memory/memory-read-model.js';
import { MemorySyncNotes } from '../../../src/adapters/memory/memory-sync-notes.js';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { type SyncConfiguration, syncConfiguration } from '../../../src/composition/configuration.js';
import { ExtendedWorker } from '../../../src/composition/extensions/extend.js';
import type { Extended, Extension, SessionTokens } from '../../../src/composition/extensions/extension.js';
import type { Environment } from '../../../src/composition/read-settings.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';

export interface ConfiguredWorker {
  readonly settings: SyncConfiguration;
  readonly extended: ExtendedWorker;
}

/** What the command creates from these extensions, each named after its position, and from the remaining settings. */
export function extendedWorker(
  extensions: readonly Extension[],
  environment: Environment = {},
): ConfiguredWorker {
  const named = extensions.map((extension, at) => ({ name: `extension-${at + 1}`, ...extension }));
  const given = { LOG_LEVEL: 'silent', SYNC_POLL_MS: '10', ...environment };
  const extended = new ExtendedWorker(named, given);
  return { settings: syncConfiguration(given, extended.replaced), extended };
}

export function workerProgram({ settings, extended }: ConfiguredWorker): SyncProgram {
  return new SyncProgram(settings, new PrometheusMetrics(), process.stdout, extended);
}

/** All ports of the read tables, on a store of an extension. A leader that has stopped counts as frozen at once. */
export function readModelOf(model: MemoryReadModel, notes = new MemorySyncNotes(model)): Extension {
  return {
    session: ({ bind, tokens }: Extended<SessionTokens>) => {
      bind(tokens.leadership).toResolvedValue(() => new MemoryLeadership(model.lead, 0));
      bind(tokens.readModelWriter).toConstantValue(model);
      bind(tokens.jobQueue).toConstantValue(model.jobs);
      bind(tokens.syncNotes).toConstantValue(notes);
      bind(tokens.generationTable).toConstantValue(new MemoryGenerations(model));
    },
  };
}
