import { UnknownInDashboard } from '../../domain/errors.js';
import type { IssuedKey, KeyManager, ListedKey } from '../../domain/ports/dashboard/key-manager.js';
import type { Clock } from '../../domain/ports/system/clock.js';

export class MemoryKeyManager implements KeyManager {
  readonly #keys: (ListedKey & { readonly organizationId: string })[] = [];

  constructor(
    private readonly organizations: ReadonlySet<string>,
    private readonly clock: Clock,
  ) {}

  async create(organizationId: string, name: string, expiresAt: Date | null): Promise<IssuedKey> {
    this.#require(organizationId);
    const number = String(this.#keys.length + 1).padStart(4, '0');
    const [id, key] = [`key_${number}`, `brk_${number}_secret`];
    const createdAt = new Date(this.clock.now());
    const prefix = key.slice(0, 8);
    this.#keys.push({ id, organizationId, name, prefix, createdAt, expiresAt, revokedAt: null });
    return { id, key };
  }

  async list(organizationId: string): Promise<readonly ListedKey[]> {
    this.#require(organizationId);
    return this.#keys
      .filter((key) => key.organizationId === organizationId)
      .map(({ organizationId: _, ...key }) => key);
  }

  async revoke(id: string): Promise<void> {
    const index = this.#keys.findIndex((key) => key.id === id);
    const key = this.#keys[index];
    if (key === undefined) throw new UnknownInDashboard('key', id);
    this.#keys[index] = { ...key, revokedAt: key.revokedAt ?? new Date(this.clock.now()) };
  }

  #require(organizationId: string): void {
    if (!this.organizations.has(organizationId)) throw new UnknownInDashboard('organization', organizationId);
  }
}
