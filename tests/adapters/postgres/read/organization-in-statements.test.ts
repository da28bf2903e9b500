import { expect } from 'chai';
import {
  openReadDatabase,
  type ReadDatabase,
} from '../../../../src/adapters/postgres/connection/read-database.js';
import { PrimaryContent } from '../../../../src/adapters/postgres/read/content-database.js';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresTagReader } from '../../../../src/adapters/postgres/read/postgres-tag-reader.js';
import type { BlogCriteria } from '../../../../src/domain/ports/reading/blog-reader.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';

const ORGANIZATION = 'the-organization-that-asks';
const GIVEN_OR_NOT = [null, 'x'];
const FIRST_PAGE = { offset: 0, limit: 20 };

interface Sent {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

function everyCriteria(): readonly BlogCriteria[] {
  return GIVEN_OR_NOT.flatMap((websiteId) =>
    GIVEN_OR_NOT.flatMap((categorySlug) =>
      GIVEN_OR_NOT.flatMap((tagSlug) =>
        GIVEN_OR_NOT.map((foldedTitlePart) => ({ websiteId, categorySlug, tagSlug, foldedTitlePart })),
      ),
    ),
  );
}

describe('Every statement that reads content', () => {
  let database: ReadDatabase;

  before(async () => {
    database = openReadDatabase(await createReadTables());
  });
  after(() => database?.destroy());

  async function sentFor(work: () => Promise<unknown>): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    const record = (statement: Sent) => sent.push(statement);
    database.on('query', record);
    await work();
    database.off('query', record);
    return sent;
  }

  function expectRestricted({ sql, bindings }: Sent): void {
    const tables = sql.match(/(from|join) "content_read"\./g) ?? [];
    const restrictions = sql.match(/where "organization_id" = \$\d+/g) ?? [];
    expect(tables, sql).not.to.have.length(0);
    expect(restrictions.length, sql).to.equal(tables.length);
    for (const restriction of restrictions) {
      expect(bindings[Number(restriction.slice(restriction.indexOf('$') + 1)) - 1], sql).to.equal(
        ORGANIZATION,
      );
    }
  }

  it('names the organization once for each table, in a list by any criteria', async () => {
    const blogs = new PostgresBlogReader(new PrimaryContent(database));
    const sent = await sentFor(async () => {
      for (const criteria of everyCriteria()) await blogs.list(ORGANIZATION, criteria, FIRST_PAGE);
    });
    expect(sent).to.have.length(16);
    sent.forEach(expectRestricted);
  });

  it('names it for one blog, by id and by slug, and for categories and tags', async () => {
    const blogs = new PostgresBlogReader(new PrimaryContent(database));
    const sent = await sentFor(async () => {
      await blogs.findById(ORGANIZATION, 'id');
      await blogs.findBySlug(ORGANIZATION, 'website', 'slug');
      for (const websiteId of GIVEN_OR_NOT) {
        await new PostgresCategoryReader(new PrimaryContent(database)).list(ORGANIZATION, websiteId);
        await new PostgresTagReader(new PrimaryContent(database)).list(ORGANIZATION, websiteId);
      }
    });
    // A statement without a result is repeated together with the generation.
    expect(sent).to.have.length(12);
    sent.forEach(expectRestricted);
  });
});
