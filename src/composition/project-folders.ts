/** Where SQL and demo content are: the same from `src` and from `dist`. */
export const READ_MIGRATIONS = {
  directory: new URL('../../db/read/', import.meta.url),
  schema: 'content_read_migrations',
  table: 'read_tables',
};

export const DASHBOARD_MIGRATIONS = {
  directory: new URL('../../db/dashboard/schema/', import.meta.url),
  schema: 'dashboard_migrations',
  table: 'reference_schema',
};

export const CAPTURE_MIGRATIONS = {
  directory: new URL('../../db/dashboard/capture/', import.meta.url),
  schema: 'content_sync',
  table: 'migrations',
};

export const REFERENCE_MAPPING = new URL('../../db/dashboard/reference-mapping.yaml', import.meta.url);

export const MYSQL_REFERENCE_MAPPING = new URL(
  '../../db/dashboard/mysql/reference-mapping.yaml',
  import.meta.url,
);
/** The reference schema for MySQL and MariaDB. */
export const MYSQL_SCHEMA = new URL('../../db/dashboard/mysql/schema/', import.meta.url);

export const DEMO_CONTENT = new URL('../../db/dashboard/demo/', import.meta.url);
