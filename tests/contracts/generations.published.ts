import { MemoryReadModel } from '../../src/adapters/memory/memory-read-model.js';
import type { GenerationsSubject } from '../../src/contracts/generations.contract.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { aTag } from '../../src/contracts/support/rows.js';
import type { Generations } from '../../src/domain/ports/generations.js';
import type { PublishedGenerations } from '../../src/domain/ports/published-generations.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';

/**
 * Changes an organization as the sync worker does: in the read tables, and then in the list of published generations,
 * if there is one.
 */
export function raisedBy(
  writer: LeadingWriter,
  subject: Generations,
  published?: PublishedGenerations,
): GenerationsSubject {
  const idsByOrganization = new Map<string, string[]>();
  return {
    subject,
    change: async (organizationId) => {
      const id = freshId('tag');
      idsByOrganization.set(organizationId, [...(idsByOrganization.get(organizationId) ?? []), id]);
      const { raised } = await writer.replace({
        kind: 'tags',
        ids: [id],
        rows: [aTag({ id, organizationId })],
      });
      await published?.publish(raised);
    },
    clear: async (organizationId) => {
      const ids = idsByOrganization.get(organizationId) ?? [];
      const { raised } = await writer.replace({ kind: 'tags', ids, rows: [] });
      await published?.publish(raised);
    },
  };
}

/**
 * For a subject that reads generations from a list of published ones, and only missing ones from the read tables. The
 * read tables here are empty, and fail for a published generation: only the list can return it.
 */
export function publishedGenerationsShown(
  make: (readTables: Generations) => { published: PublishedGenerations; subject: Generations },
): GenerationsSubject {
  const listed = new Set<string>();
  const { published, subject } = make({
    current: async (organizationId) => {
      if (listed.has(organizationId)) throw new Error('The list of published generations was not read');
      return 0;
    },
  });
  return raisedBy(leadingWriter(new MemoryReadModel(new SettableClock())), subject, {
    publish: async (raised) => {
      for (const { organizationId } of raised) listed.add(organizationId);
      return published.publish(raised);
    },
  });
}
