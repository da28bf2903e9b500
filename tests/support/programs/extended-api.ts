import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { extendedApi } from '../../../src/composition/extensions/extend.js';
import type { ApiPorts, Bind, Extension } from '../../../src/composition/extensions/extension.js';
import { apiConfiguration } from '../../../src/composition/settings/configuration.js';
import type { Environment } from '../../../src/composition/settings/read-settings.js';
import { MemoryApiKeyDirectory } from '../../../src/contracts/fakes/memory-api-key-directory.js';
import { MemoryBlogReader } from '../../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryCategoryReader } from '../../../src/contracts/fakes/memory-category-reader.js';
import { MemoryGenerations } from '../../../src/contracts/fakes/memory-generations.js';
import type { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { MemoryTagReader } from '../../../src/contracts/fakes/memory-tag-reader.js';
import { ApiProgram } from '../../../src/programs/api/api-program.js';

const ON_ANY_PORT = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent' };

/** The API as its command creates it, with these extensions, each named after its position. */
export function extendedProgram(
  extensions: readonly Extension[],
  environment: Environment = {},
  metrics = new PrometheusMetrics(),
): ApiProgram {
  const named = extensions.map((extension, at) => ({ name: `extension-${at + 1}`, ...extension }));
  const given = { ...ON_ANY_PORT, ...environment };
  const { settings, problems } = apiConfiguration(given);
  const extended = { ...extendedApi(named, given), wrongSettings: problems };
  return new ApiProgram(settings, metrics, extended);
}

/** Binds the whole read side to a store of an extension. */
export function bindReadSide(bind: Bind<ApiPorts>, model: MemoryReadModel): void {
  bind('blogReader', () => new MemoryBlogReader(model));
  bind('categoryReader', () => new MemoryCategoryReader(model));
  bind('tagReader', () => new MemoryTagReader(model));
  bind('keyTable', () => new MemoryApiKeyDirectory(model));
  bind('generationTable', () => new MemoryGenerations(model));
  bind('installation', () => async () => 'memory');
}
