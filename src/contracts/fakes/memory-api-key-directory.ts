import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/reading/api-key-directory.js';
import type { MemoryReadModel } from './memory-read-model.js';

export class MemoryApiKeyDirectory implements ApiKeyDirectory {
  constructor(private readonly readModel: MemoryReadModel) {}

  async find(hash: string): Promise<KnownKey | null> {
    const key = this.readModel.rows('apiKeys').find((row) => row.hash === hash);
    return key === undefined ? null : { key, generation: this.readModel.generationOf(key.organizationId) };
  }
}
