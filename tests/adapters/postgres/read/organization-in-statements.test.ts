import { expect } from 'chai';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../../../src/adapters/postgres/read/postgres-category-reader.js';
import { PostgresTagReader } from '../../../../src/adapters/postgres/read/postgres-tag-reader.js';
import { openReadDatabase, type ReadDatabase } from '../../../../src/adapters/postgres/read/read-database.js';
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

  async function sentFor(read: () => Promise<unknown>): Promise<readonly Sent[]> {
    const sent: Sent[] = [];
    const record = (statement: Sent) => sent.push(statement);
    database.on('query', record);
    await read();
    database.off('query', record);
    return sent;
  }

  /** Right after its name, or, if it has an alias, by the organization of the row that is shown. */
  function expectRestricted({ sql, bindings }: Sent): void {
    // Knex quotes names; the statements that are written as text do not.
    const text = sql.replaceAll('"', '');
    const tables = [
      ...text.matchAll(
        /\b(?:from|join) content_read\.\w+(?: as (\w+))?(?: where organization_id = \$(\d+)\b)?/g,
      ),
    ];
    expect(tables, sql).not.to.have.length(0);
    expect(tables, sql).to.have.length(text.split('content_read.').length - 1);
    for (const [table, alias, binding] of tables) {
      if (alias === undefined)
        expect(bindings[Number(binding) - 1], `${table} in ${sql}`).to.equal(ORGANIZATION);
      else expect(text, table).to.match(comparisonOf(alias));
    }
  }

  /** Other organizations only matter for terms that are left out. */
  function comparisonOf(alias: string): RegExp {
    return new RegExp(
      `\\b${alias}\\.organization_id(?:, \\w+\\.\\w+\\))? (?:=|<>) \\(?(?:blogs|categories)\\.organization_id\\b`,
    );
  }

  it('names the organization once for each table, in a list by any criteria', async () => {
    const blogs = new PostgresBlogReader(database);
    const sent = await sentFor(async () => {
      for (const criteria of everyCriteria()) await blogs.list(ORGANIZATION, criteria, FIRST_PAGE);
    });
    expect(sent).to.have.length(16);
    sent.forEach(expectRestricted);
  });

  it('names it for one blog, by id and by slug, and for categories and tags', async () => {
    const blogs = new PostgresBlogReader(database);
    const sent = await sentFor(async () => {
      await blogs.findById(ORGANIZATION, 'id');
      await blogs.findBySlug(ORGANIZATION, 'website', 'slug');
      for (const websiteId of GIVEN_OR_NOT) {
        await new PostgresCategoryReader(database).list(ORGANIZATION, websiteId);
        await new PostgresTagReader(database).list(ORGANIZATION, websiteId);
      }
    });
    expect(sent).to.have.length(6);
    sent.forEach(expectRestricted);
  });
});
