import type { GenerationsSubject } from '../../src/contracts/reading/generations.contract.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { aTag } from '../../src/contracts/support/rows.js';
import type { Generations } from '../../src/domain/ports/reading/generations.js';

/** Changes an organization in the read tables, as the sync worker does. */
export function raisedBy(writer: LeadingWriter, subject: Generations): GenerationsSubject {
  const idsByOrganization = new Map<string, string[]>();
  return {
    subject,
    change: async (organizationId) => {
      const id = freshId('tag');
      idsByOrganization.set(organizationId, [...(idsByOrganization.get(organizationId) ?? []), id]);
      await writer.replace({ kind: 'tags', ids: [id], rows: [aTag({ id, organizationId })] });
    },
    clear: async (organizationId) => {
      const ids = idsByOrganization.get(organizationId) ?? [];
      await writer.replace({ kind: 'tags', ids, rows: [] });
    },
  };
}
