/** Where SQL and demo content are: the same from `src` and from `dist`. */
const inDb = (path: string) => new URL(`../../db/${path}`, import.meta.url);

export const READ_MIGRATIONS = {
  directory: inDb('read/'),
  schema: 'content_read_migrations',
  table: 'read_tables',
};
export const READ_GRANTS = inDb('grants/in-read-database.sql');
export const DASHBOARD_MIGRATIONS = {
  directory: inDb('dashboard/schema/'),
  schema: 'dashboard_migrations',
  table: 'reference_schema',
};
export const REFERENCE_MAPPING = inDb('dashboard/reference-mapping.yaml');
export const MYSQL_REFERENCE_MAPPING = inDb('dashboard/mysql/reference-mapping.yaml');
/** The reference schema for MySQL and MariaDB. */
export const MYSQL_SCHEMA = inDb('dashboard/mysql/schema/');
export const DEMO_CONTENT = inDb('dashboard/demo/');

/** From a checkout by its scripts; a project that installed the package has none of them. */
const isInstalled = import.meta.url.includes('/node_modules/');
export const START = isInstalled ? 'npx blog-read-api embedded' : 'npm start';
export const EDIT_DEMO = isInstalled ? 'npx blog-read-api demo:edit' : 'npm run demo:edit';
