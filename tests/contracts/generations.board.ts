import { MemoryReadModel } from '../../src/adapters/memory/memory-read-model.js';
import type { GenerationsSubject } from '../../src/contracts/generations.contract.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { aTag } from '../../src/contracts/support/rows.js';
import type { GenerationBoard } from '../../src/domain/ports/generation-board.js';
import type { Generations } from '../../src/domain/ports/generations.js';
import { leadingWriter } from '../support/leading-writer.js';
import { SettableClock } from '../support/settable-clock.js';

/** Changes an organization as the sync job does it: in the read tables, and then on the board if there is one. */
export function raisedBy(
  writer: LeadingWriter,
  subject: Generations,
  board?: GenerationBoard,
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
      await board?.publish(raised);
    },
    clear: async (organizationId) => {
      const ids = idsByOrganization.get(organizationId) ?? [];
      const { raised } = await writer.replace({ kind: 'tags', ids, rows: [] });
      await board?.publish(raised);
    },
  };
}

/**
 * For a subject that asks a board, and the read tables for what that does not show. The read tables here know nothing, and refuse to
 * be asked for what was published: only the board can tell it.
 */
export function shownOnBoard(
  make: (readTables: Generations) => { board: GenerationBoard; subject: Generations },
): GenerationsSubject {
  const published = new Set<string>();
  const { board, subject } = make({
    current: async (organizationId) => {
      if (published.has(organizationId)) throw new Error('The board was not asked');
      return 0;
    },
  });
  return raisedBy(leadingWriter(new MemoryReadModel(new SettableClock())), subject, {
    publish: async (raised) => {
      for (const { organizationId } of raised) published.add(organizationId);
      return board.publish(raised);
    },
  });
}
