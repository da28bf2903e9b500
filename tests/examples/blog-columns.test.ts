import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BLOG_FIELD_NAMES, BLOG_FIELDS, columnOf } from '../../src/domain/model/blog-fields.js';

type FieldName = (typeof BLOG_FIELD_NAMES)[number];

/** Without a database server, also for MariaDB and MySQL. */
describe('Every field of a blog', () => {
  for (const [folder, table] of [
    ['db/read', 'content_read.blogs'],
    ['db/dashboard/schema', 'public.blogs'],
    ['db/dashboard/mysql/schema', 'blogs'],
  ] as const) {
    it(`is a column of ${table} in a migration of ${folder}, and a count is not null there`, () => {
      const statements = statementsOn(table, folder);
      const lacking = BLOG_FIELD_NAMES.filter((name) => !isColumnIn(statements, name));
      expectNone(`${folder} lacks a migration with`, lacking.map(additionOf));
    });
  }

  for (const mapping of [
    'db/dashboard/reference-mapping.yaml',
    'db/dashboard/mysql/reference-mapping.yaml',
  ]) {
    it(`is selected in ${mapping}`, () => {
      const [select = ''] = /^blogs:[\s\S]*?(?=^\S)/m.exec(readFileSync(mapping, 'utf8')) ?? [];
      const lacking = BLOG_FIELD_NAMES.map(columnOf).filter(
        (column) => !new RegExp(`\\b${column}\\b`).test(select),
      );
      expectNone(`${mapping} lacks`, lacking);
    });
  }
});

/** The definition of the table, and all changes of it. */
function statementsOn(table: string, folder: string): string {
  const migrations = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const sql = migrations.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n');
  const name = table.replace('public.', '(?:public\\.)?');
  const statement = new RegExp(`^(?:create table(?: if not exists)?|alter table) ${name}\\s[^;]*;`, 'gm');
  return (sql.match(statement) ?? []).join('\n');
}

/** A column that is added needs a default, because there may be rows. */
function isColumnIn(statements: string, name: FieldName): boolean {
  const created = BLOG_FIELDS[name].type === 'count' ? `${columnOf(name)} integer not null` : columnOf(name);
  return new RegExp(`^ {2}${created}\\b|${additionOf(name)}\\b`, 'm').test(statements);
}

function additionOf(name: FieldName): string {
  const column = `add column ${columnOf(name)}`;
  return BLOG_FIELDS[name].type === 'count' ? `${column} integer not null default 0` : column;
}

function expectNone(problem: string, lacking: readonly string[]): void {
  if (lacking.length > 0) expect.fail(`${problem} ${lacking.join(', ')}`);
}
