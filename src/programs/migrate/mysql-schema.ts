import { makeSchema } from '../../adapters/dashboard/mysql/make-schema.js';
import { MYSQL_SCHEMA } from '../../composition/project-folders.js';
import type { Print } from '../dashboards/dashboard-engine.js';

/** The reference schema, for demos and tests of dashboards in a MySQL or MariaDB. */
export async function makeMysqlSchema(url: string, print: Print): Promise<void> {
  const made = await makeSchema(url, MYSQL_SCHEMA);
  print(
    made === 0
      ? 'Reference dashboard schema: up to date.'
      : `Reference dashboard schema: made ${made} ${made === 1 ? 'table' : 'tables'}.`,
  );
}
