import { expect } from 'chai';
import type { Knex } from 'knex';
import type { ReadModelUpdate } from '../../../../src/domain/model/read-model.js';
import type { ReadModelWriter } from '../../../../src/domain/ports/read-model-writer.js';
import { wrapped } from '../sync/watched-ports.js';

interface Shown {
  readonly organizationId: string;
  /** A digest of everything that is shown of the organization. */
  readonly digest: string | null;
  readonly generation: string;
}

const SHOWN = `
  select organization_id as "organizationId", digest, generation
  from content_read.organizations full join (
    select organization_id, md5(string_agg(line, ' ' order by line collate "C")) as digest
    from (${['api_keys', 'categories', 'tags', 'blogs']
      .map((table) => `select organization_id, to_jsonb(r)::text as line from content_read.${table} r`)
      .join(' union all ')}) as lines
    group by organization_id
  ) as digests using (organization_id)`;

/** Checks after each write that it raised the generation of exactly those organizations whose shown content changed. */
export class GenerationWatch {
  #before: ReadonlyMap<string, Shown> = new Map();

  constructor(private readonly readTables: Knex) {}

  async start(): Promise<void> {
    this.#before = await this.#look();
  }

  watch(writer: ReadModelWriter): ReadModelWriter {
    return wrapped(writer, {
      write: async (epoch, update) => {
        const change = await writer.write(epoch, update);
        // If the writer reports no change, the next check shows whether that is true.
        if (change.raised.length > 0 || update.raisesAll) await this.#judge(update);
        return change;
      },
    });
  }

  async #judge({ raisesAll = false }: ReadModelUpdate): Promise<void> {
    const before = this.#before;
    this.#before = await this.#look();
    const lowered: string[] = [];
    const raised: string[] = [];
    const changed: string[] = [];
    for (const [id, { digest, generation }] of this.#before) {
      const earlier = before.get(id);
      if (BigInt(generation) < BigInt(earlier?.generation ?? 0)) lowered.push(id);
      if (generation !== earlier?.generation) raised.push(id);
      if (raisesAll || digest !== (earlier?.digest ?? null)) changed.push(id);
    }
    expect(lowered, 'organizations whose generation went down').to.deep.equal([]);
    expect(raised, 'organizations whose generation was raised').to.deep.equal(changed);
  }

  async #look(): Promise<ReadonlyMap<string, Shown>> {
    const { rows }: { rows: Shown[] } = await this.readTables.raw(SHOWN);
    return new Map(rows.map((row) => [row.organizationId, row]));
  }
}
