import type { Knex } from 'knex';

/** Such as 17.2. */
export async function serverVersion(database: Knex): Promise<string> {
  const { rows }: { rows: [{ server_version: string }] } = await database.raw('show server_version');
  return rows[0].server_version;
}

const TABLE_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'];

/** By table with its schema: rights on the whole table; rights on single columns do not count. */
export type TableRights = Readonly<Record<string, readonly string[]>>;

export interface RoleRights {
  readonly role: string;
  /** Rights beyond tables, in words, such as `create databases`. */
  readonly attributes: readonly string[];
  /** Without `public`, where every role may create tables up to PostgreSQL 14. */
  readonly creatableSchemas: readonly string[];
  readonly tables: TableRights;
}

/** The rights of this connection's role in these schemas. */
export async function roleRights(database: Knex, schemas: readonly string[]): Promise<RoleRights> {
  const { rows: roles }: { rows: [Omit<RoleRights, 'tables'>] } = await database.raw(
    `select current_user as role,
      array_remove(array[
        case when rolsuper then 'do everything, as a superuser' end,
        case when rolcreatedb then 'create databases' end,
        case when rolcreaterole then 'create roles' end,
        case when rolreplication then 'replicate' end
      ], null) as attributes,
      array(select nspname::text from pg_namespace
        where nspname = any(:schemas) and nspname <> 'public' and has_schema_privilege(oid, 'CREATE') order by 1) as "creatableSchemas"
    from pg_roles where rolname = current_user`,
    { schemas },
  );
  const { rows: tables }: { rows: { name: string; rights: string[] }[] } = await database.raw(
    `select nspname || '.' || relname as name,
      array(select name from unnest(:rights::text[]) with ordinality as asked (name, place)
        where has_table_privilege(pg_class.oid, name) order by place) as rights
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = any(:schemas) and relkind in ('r', 'p') order by 1`,
    { schemas, rights: TABLE_RIGHTS },
  );
  return {
    ...roles[0],
    tables: Object.fromEntries(tables.map(({ name, rights }) => [name, rights])),
  };
}
