import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';

const INTRODUCTION = `-- The tables, views and functions of the schema content_read, as all migrations in db/read create them together. \`npm run tables:report\`
-- writes this file from PostgreSQL's catalog; a test compares it. To create them, run \`npm run migrate\`.
`;

const ABOUT: Readonly<Record<string, string>> = {
  api_keys: 'API keys, by their hash.',
  blog_entries: 'What blogs are found by: a narrow row for each.',
  blog_list_counts:
    'How many blogs each list has, in blocks of up to 1,024 blogs of one list, with the place where each block begins.',
  blogs: 'Published blogs, as they are shown.',
  categories: 'Categories.',
  hidden_websites: 'Websites that no longer belong to an organization that still has rows of them.',
  installation: 'The identity of these read tables, from which the key names in Redis are made.',
  known_databases:
    'The databases that the worker last worked with, to notice a failover or another dashboard.',
  organizations: 'The generation of each organization, which grows with every change of its content or keys.',
  pack_counts: 'In how many titles of a pack each letter and each frequent word occurs.',
  quarantined_rows: 'Rows of the dashboard that cannot be shown, and why.',
  recount_progress: 'How far the recount of an organization has come.',
  recounted_lists: 'The counts of a recount in progress.',
  sync_jobs: 'The job queue of the worker.',
  sync_leader: 'The worker that leads, its epoch, and what it knows of the change capture.',
  tags: 'Tags.',
  term_entries: 'The blogs of each category and tag, in the order of its list.',
  title_packs: 'The titles of about a hundred blogs in one row, for searches that find many.',
};

const TABLES = `
  select relname as name, coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') as options,
    array(
      select attname || ' ' || format_type(atttypid, atttypmod)
        || case when attcollation <> typcollation then ' collate ' || attcollation::regcollation else '' end
        || case when attidentity = 'a' then ' generated always as identity' else coalesce(' default ' || pg_get_expr(adbin, adrelid), '') end
        || case when attnotnull then ' not null' else '' end
      from pg_attribute join pg_type on pg_type.oid = atttypid left join pg_attrdef on (adrelid, adnum) = (attrelid, attnum)
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped order by attnum
    ) || array(
      select format('constraint %I %s', conname, pg_get_constraintdef(pg_constraint.oid)) from pg_constraint
      where conrelid = pg_class.oid and contype in ('p', 'u', 'c', 'f') order by contype = 'p' desc, conname
    ) as parts,
    array(
      select pg_get_indexdef(indexrelid) from pg_index where indrelid = pg_class.oid and not indisprimary order by indexrelid::regclass::text
    ) || array(
      select pg_get_triggerdef(oid) from pg_trigger where tgrelid = pg_class.oid and not tgisinternal order by tgname
    ) as others
  from pg_class where relnamespace = 'content_read'::regnamespace and relkind = 'r' order by relname collate "C"`;

const TYPES = `
  select relname as name,
    array(select attname || ' ' || format_type(atttypid, atttypmod) from pg_attribute where attrelid = pg_class.oid order by attnum) as parts
  from pg_class where relnamespace = 'content_read'::regnamespace and relkind = 'c' order by relname collate "C"`;

const VIEWS = `
  select view_name as name, table_name as of from information_schema.view_table_usage
  where view_schema = 'content_read' order by view_name collate "C"`;

const FUNCTIONS = `
  select proname as name, pg_get_function_identity_arguments(oid) as arguments, pg_get_function_result(oid) as result
  from pg_proc where pronamespace = 'content_read'::regnamespace order by proname collate "C", 2`;

const FUNCTION_CHANGE =
  /create (?:or replace )?function content_read\.(?<created>\w+)|alter function content_read\.(?<former>\w+)\([^)]*\) rename to (?<name>\w+)/g;

interface Table {
  readonly name: string;
  readonly options: string;
  readonly parts: readonly string[];
  readonly others: readonly string[];
}

/** docs/read-tables.sql for freshly migrated read tables: their shape in one file, instead of in all migrations. */
export async function readTablesPage(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<Table>(TABLES);
    const { rows: views } = await client.query<{ name: string; of: string }>(VIEWS);
    const { rows: types } = await client.query<Pick<Table, 'name' | 'parts'>>(TYPES);
    const { rows: functions } = await client.query<{ name: string; arguments: string; result: string }>(
      FUNCTIONS,
    );
    const files = await filesOfFunctions();
    const lines = [
      INTRODUCTION,
      ...tables.map(describeTable),
      '-- Former names of tables, which stay until version 3: see docs/adr/0031-renamed-tables-keep-a-view.md.',
      ...views.map(({ name, of }) => `create view content_read.${name} as select * from content_read.${of};`),
      '\n-- Types of parameters of functions.',
      ...types.map(({ name, parts }) => `create type content_read.${name} as (${parts.join(', ')});`),
      '\n-- Functions, with the migration that has the newest body.',
      ...functions.map(
        (each) => `-- ${each.name}(${each.arguments}) returns ${each.result}: ${files.get(each.name)}`,
      ),
    ];
    return `${lines.join('\n')}\n`;
  } finally {
    await client.end();
  }
}

function describeTable({ name, options, parts, others }: Table): string {
  const about = ABOUT[name];
  if (about === undefined) throw new Error(`Say in ABOUT what ${name} is`);
  const lines = [
    `-- ${about}`,
    `create table content_read.${name} (`,
    `  ${parts.join(',\n  ')}`,
    `)${options};`,
  ];
  return [...lines, ...others.map((each) => `${each};`), ''].join('\n');
}

async function filesOfFunctions(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const { directory } = READ_MIGRATIONS;
  for (const file of (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()) {
    const text = await readFile(new URL(file, directory), 'utf8');
    for (const { groups: { created = '', former = '', name = '' } = {} } of text.matchAll(FUNCTION_CHANGE)) {
      if (created === '') files.set(name, `${files.get(former)}, as ${former}`);
      else files.set(created, file);
    }
  }
  return files;
}
