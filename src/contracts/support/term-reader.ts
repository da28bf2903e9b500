import { expect } from 'chai';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from './adapter-class.js';
import { freshId } from './fresh-id.js';
import { TROUBLESOME_TEXTS } from './troublesome-values.js';

interface TermRow {
  readonly id: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly name: string;
}

interface TermReader {
  list(organizationId: string, websiteId: string | null): Promise<readonly object[]>;
}

export interface TermReaderSubject<Reader, Row> {
  readonly subject: Reader;
  /** Stores these rows for the reader. Each replaces the one with its id. */
  put(...rows: readonly Row[]): Promise<void>;
  remove(...ids: readonly string[]): Promise<void>;
}

/** What categories and tags have in common. `variants`: rows that differ in every field. */
export function termReaderContract<Reader extends TermReader, Row extends TermRow>(
  runner: Runner,
  Adapter: AdapterClass<Reader>,
  makeSubject: () => Promise<TermReaderSubject<Reader, Row>>,
  what: 'category' | 'tag',
  aRow: (given: Partial<TermRow> & { id: string }) => Row,
  variants: (text: string, index: number) => Partial<Row>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a ${what} reader,`, () => {
    let reader: Reader;
    let put: TermReaderSubject<Reader, Row>['put'];
    let remove: TermReaderSubject<Reader, Row>['remove'];
    let organizationId: string;

    beforeEach(async () => {
      ({ subject: reader, put, remove } = await makeSubject());
      organizationId = freshId('org');
    });

    const newRow = (given: Partial<TermRow> = {}) => aRow({ id: freshId(what), organizationId, ...given });

    itIsTestedItself(runner, Adapter, () => reader);

    it('lists nothing for an organization without content', async () => {
      expect(await reader.list(organizationId, null)).to.deep.equal([]);
      expect(await reader.list(organizationId, 'web_1')).to.deep.equal([]);
    });

    it('lists all rows of an organization, as they are and without its name', async () => {
      const rows = TROUBLESOME_TEXTS.map((text, index) => ({ ...newRow(), ...variants(text, index) }));
      await put(...rows);
      expect(await reader.list(organizationId, null)).to.have.deep.members(rows.map(toListed));
    });

    it('lists the rows of one website, named exactly', async () => {
      const rows = TROUBLESOME_TEXTS.map((text) => newRow({ websiteId: `web ${text}` }));
      await put(...rows);
      for (const row of rows) {
        expect(await reader.list(organizationId, row.websiteId)).to.deep.equal([toListed(row)]);
      }
      for (const otherId of ['web_', 'web%', 'WEB null', '']) {
        expect(await reader.list(organizationId, otherId), otherId).to.deep.equal([]);
      }
    });

    it('separates organizations whose rows share websites and slugs', async () => {
      const shared = { websiteId: 'web_shared', slug: 'shared', name: 'Shared' };
      const row = newRow(shared);
      const foreign = newRow({ ...shared, organizationId: freshId('org') });
      await put(row, foreign);
      for (const websiteId of [null, 'web_shared']) {
        expect(await reader.list(organizationId, websiteId)).to.deep.equal([toListed(row)]);
        expect(await reader.list(foreign.organizationId, websiteId)).to.deep.equal([toListed(foreign)]);
        for (const otherId of [freshId('org'), '', '%', organizationId.toUpperCase()]) {
          expect(await reader.list(otherId, websiteId), otherId).to.deep.equal([]);
        }
      }
    });

    it('shows at once that a row was changed, moved or deleted', async () => {
      const row = newRow();
      const changed = { ...row, name: 'New name' };
      const moved = { ...changed, organizationId: freshId('org') };
      await put(row);
      await put(changed);
      expect(await reader.list(organizationId, null)).to.deep.equal([toListed(changed)]);
      await put(moved);
      expect(await reader.list(organizationId, null)).to.deep.equal([]);
      expect(await reader.list(moved.organizationId, null)).to.deep.equal([toListed(moved)]);
      await remove(row.id);
      expect(await reader.list(moved.organizationId, null)).to.deep.equal([]);
    });
  });
}

function toListed({ organizationId, ...row }: TermRow): object {
  return row;
}
