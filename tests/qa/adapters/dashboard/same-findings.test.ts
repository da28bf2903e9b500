import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { DashboardMapping } from '../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { readMapping } from '../../../../src/adapters/dashboard/mapping/read-mapping.js';
import { ownFacts } from '../../../../src/adapters/dashboard/mysql/capture/capture-facts.js';
import { checkMapping as checkOnMysql } from '../../../../src/adapters/dashboard/mysql/checks/check-mapping.js';
import { checkMapping as checkOnPostgres } from '../../../../src/adapters/dashboard/postgres/checks/check-mapping.js';
import { openDashboardDatabase } from '../../../../src/adapters/postgres/connection/open-database.js';
import { REFERENCE_MAPPING } from '../../../../src/composition/project-folders.js';
import {
  createMysqlDashboard,
  MYSQL_MAPPING,
  openMysqlDashboard,
} from '../../../support/dashboards/mysql-dashboard.js';
import { createDashboard } from '../../../support/postgres/migrated-databases.js';

const IS_TAGS = /^(public\.)?tags$/;
const TAGS = `select id, website_id, name, slug from tags`;

/** A mistake in the mapping, and what each engine says of it, without the words of its server. */
const MISTAKES: Readonly<
  Record<string, { readonly change: (mapping: DashboardMapping) => DashboardMapping; readonly error: string }>
> = {
  'a select that the server refuses': {
    change: withTags('select id, nothing from tags'),
    error: 'tags: the select fails: …',
  },
  'a select without a required column': {
    change: withTags('select id, website_id, name from tags'),
    error: 'tags: there is no column slug; add `… as slug` to the select',
  },
  'a select with an id for several rows': {
    change: withTags(`${TAGS} union all ${TAGS}`),
    error: 'tags: 2 rows have the id tag; return one row for each id',
  },
  'a select with an id that is null': {
    change: withTags(TAGS.replace('id,', `nullif(id, 'tag') as id,`)),
    error: 'tags: the id is null in 1 row; exclude rows whose id is null',
  },
  'a time zone that does not exist': {
    change: (mapping) => ({ ...mapping, timeZone: 'Europe/Atlantis' }),
    error: 'time_zone: there is no time zone Europe/Atlantis; use a name such as Europe/Paris',
  },
  'a captured table that does not exist': {
    change: (mapping) => ({ ...mapping, captures: [...mapping.captures, { table: 'gone', touches: {} }] }),
    error: 'captures.gone: there is no such table; …',
  },
  'a table that is read and not captured': {
    change: (mapping) => ({
      ...mapping,
      captures: mapping.captures.filter(({ table }) => !IS_TAGS.test(table)),
    }),
    error:
      'tags: the select reads tags, which is not under captures; add it with the keys of the rows that it affects, or with {} if it never changes',
  },
  'a key that the server refuses': {
    change: (mapping) => ({
      ...mapping,
      captures: mapping.captures.map((captured) =>
        IS_TAGS.test(captured.table) ? { ...captured, touches: { tags: 'nothing' } } : captured,
      ),
    }),
    error: 'captures.…tags.tags: the key fails: …',
  },
  'a select that reads the clock': {
    change: withTags(`${TAGS} where current_timestamp > '2020-01-01'`),
    error:
      'tags: the select uses …, whose value changes without a change of a table, so the worker would not …',
  },
};

function withTags(tags: string) {
  return (mapping: DashboardMapping) => ({ ...mapping, selects: { ...mapping.selects, tags } });
}

describe('A mistake in a mapping', () => {
  let postgres: Knex;
  let mysql: Knex;

  before(async function () {
    mysql = openMysqlDashboard(await createMysqlDashboard(this));
    postgres = openDashboardDatabase(await createDashboard());
    for (const database of [mysql, postgres]) {
      await database('organizations').insert({ id: 'org', name: 'Organization' });
      await database('websites').insert({ id: 'web', organization_id: 'org', name: 'Website' });
      await database('tags').insert({ id: 'tag', website_id: 'web', name: 'Tag', slug: 'tag' });
    }
  });

  after(async () => {
    await mysql?.destroy();
    await postgres?.destroy();
  });

  for (const [mistake, { change, error }] of Object.entries(MISTAKES)) {
    it(`is reported in the same words on both engines: ${mistake}`, async () => {
      const reference = readMapping(fileURLToPath(REFERENCE_MAPPING));
      const onPostgres = await checkOnPostgres(postgres, change(reference));
      const onMysql = await checkOnMysql(mysql, change(MYSQL_MAPPING), await ownFacts(mysql));

      for (const { errors } of [onPostgres, onMysql]) {
        expect(errors).to.have.length(1);
        expect(errors[0]).to.satisfy((found: string) => agrees(found, error), errors[0]);
      }
    });
  }
});

/** The parts around each `…`, in their order. */
function agrees(message: string, expected: string): boolean {
  let from = 0;
  return expected.split('…').every((part) => {
    const index = message.indexOf(part, from);
    from = index + part.length;
    return index >= 0;
  });
}
