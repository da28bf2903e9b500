import { expect } from 'chai';
import {
  type ContentDatabase,
  PrimaryContent,
} from '../../../../src/adapters/postgres/read/content-database.js';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresTagReader } from '../../../../src/adapters/postgres/read/postgres-tag-reader.js';
import { aBlog, aCategory, aTag } from '../../../../src/contracts/support/rows.js';
import { RecordedSnapshot, type Snapshot } from '../../../../src/domain/model/snapshot.js';
import type { BlogCriteria } from '../../../../src/domain/ports/reading/blog-reader.js';
import { leadingWriter } from '../../../support/postgres/leading-writer.js';
import { sharedReadTables } from '../../../support/postgres/read-tables.js';

const CRITERIA = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };
const FIRST_PAGE = { offset: 0, limit: 20 };

type Read = (content: ContentDatabase, organizationId: string, snapshot: Snapshot) => Promise<unknown>;

const listWith =
  (criteria: BlogCriteria, cut = FIRST_PAGE): Read =>
  (content, id, snapshot) =>
    new PostgresBlogReader(content).list(id, criteria, cut, snapshot);
const blogWith =
  (id: string): Read =>
  (content, organizationId, snapshot) =>
    new PostgresBlogReader(content).findById(organizationId, id, snapshot);
const READS: Readonly<Record<string, Read>> = {
  'a list': listWith(CRITERIA),
  'a page past the end': listWith(CRITERIA, { offset: 1_000, limit: 20 }),
  'a search': listWith({ ...CRITERIA, foldedTitlePart: 'title' }),
  'a list by two terms': listWith({ ...CRITERIA, categorySlug: 'c', tagSlug: 't' }),
  'a blog by its id': blogWith('blog'),
  'no blog': blogWith('none'),
  'a blog by its slug': (content, id, snapshot) =>
    new PostgresBlogReader(content).findBySlug(id, 'web_a1', 'blog', snapshot),
  categories: (content, id, snapshot) => new PostgresCategoryReader(content).list(id, null, snapshot),
  'no categories': (content, id, snapshot) => new PostgresCategoryReader(content).list(id, 'none', snapshot),
  tags: (content, id, snapshot) => new PostgresTagReader(content).list(id, null, snapshot),
  'no tags': (content, id, snapshot) => new PostgresTagReader(content).list(id, 'none', snapshot),
};

describe('Content that is read from PostgreSQL', () => {
  const readTables = sharedReadTables();

  before(async () => {
    const writer = leadingWriter(readTables());
    await writer.replace({ kind: 'blogs', ids: ['blog'], rows: [aBlog({ id: 'blog', slug: 'blog' })] });
    await writer.replace({ kind: 'categories', ids: ['category'], rows: [aCategory({ id: 'category' })] });
    await writer.replace({ kind: 'tags', ids: ['tag'], rows: [aTag({ id: 'tag' })] });
  });

  for (const [what, read] of Object.entries(READS)) {
    it(`includes the generation of its own snapshot: ${what}`, async () => {
      const organizations = readTables().withSchema('content_read').from('organizations');
      const { generation } = await organizations.where({ organization_id: 'org_a' }).first('generation');
      for (const [organizationId, present] of [
        ['org_a', Number(generation)],
        ['org_unknown', 0],
      ] as const) {
        const snapshot = new RecordedSnapshot(Number.MAX_SAFE_INTEGER);
        await read(new PrimaryContent(readTables()), organizationId, snapshot);
        expect(snapshot.generation).to.equal(present);
      }
    });
  }
});
