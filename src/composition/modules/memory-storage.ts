import { ContainerModule } from 'inversify';
import { MemoryApiKeyDirectory } from '../../adapters/memory/memory-api-key-directory.js';
import { MemoryBlogReader } from '../../adapters/memory/memory-blog-reader.js';
import { MemoryCategoryReader } from '../../adapters/memory/memory-category-reader.js';
import { MemoryGenerations } from '../../adapters/memory/memory-generations.js';
import { MemoryReadModel } from '../../adapters/memory/memory-read-model.js';
import { MemoryTagReader } from '../../adapters/memory/memory-tag-reader.js';
import { TOKENS } from '../tokens.js';

export function memoryStorage(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.memoryReadModel).toResolvedValue((clock) => new MemoryReadModel(clock), [TOKENS.clock]);
    bind(TOKENS.blogReader).toResolvedValue((model) => new MemoryBlogReader(model), [TOKENS.memoryReadModel]);
    bind(TOKENS.categoryReader).toResolvedValue(
      (model) => new MemoryCategoryReader(model),
      [TOKENS.memoryReadModel],
    );
    bind(TOKENS.tagReader).toResolvedValue((model) => new MemoryTagReader(model), [TOKENS.memoryReadModel]);
    bind(TOKENS.keyTable).toResolvedValue(
      (model) => new MemoryApiKeyDirectory(model),
      [TOKENS.memoryReadModel],
    );
    bind(TOKENS.installation).toConstantValue(async () => 'memory');
    bind(TOKENS.generationTable).toResolvedValue(
      (model) => new MemoryGenerations(model),
      [TOKENS.memoryReadModel],
    );
  });
}
