import { readFile, writeFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { DashboardKeys } from '../source/dashboard-keys.js';

/** One key for each organization, kept in a file that only its owner can read. */
export class DemoKeys {
  constructor(
    private readonly database: Knex,
    private readonly apiKeys: DashboardKeys,
    private readonly file: string,
  ) {}

  async all(): Promise<readonly { organization: string; key: string }[]> {
    const kept = await this.#read();
    const organizations = await this.database('organizations').select('id', 'name').orderBy('id');
    const keys: Record<string, string> = {};
    for (const { id } of organizations) {
      const key = kept[id];
      const isValid = key !== undefined && (await this.apiKeys.isValid(key));
      keys[id] = isValid ? key : (await this.apiKeys.create(id, 'Demo', null)).key;
    }
    await writeFile(this.file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
    return organizations.map(({ id, name }) => ({ organization: name, key: keys[id] ?? '' }));
  }

  async #read(): Promise<Readonly<Record<string, string>>> {
    try {
      return JSON.parse(await readFile(this.file, 'utf8'));
    } catch {
      // The file is missing, or a killed run left it incomplete: new keys are issued.
      return {};
    }
  }
}
