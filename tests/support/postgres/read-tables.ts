import type { Knex } from 'knex';
import type { LeadingWriter } from '../../../src/contracts/support/leading-writer.js';
import type { RowKind, RowTypes } from '../../../src/domain/model/read-model.js';
import { makeHostile } from './hostile-settings.js';
import { createReadTables } from './migrated-databases.js';
import { patientConnection } from './patient-connection.js';

/** New read tables that the tests of the surrounding `describe` share. */
export function sharedReadTables(): () => Knex {
  return sharedDatabase(async () => patientConnection(await createReadTables()).database);
}

/** A database with hostile settings, open during the tests of the surrounding `describe`. */
export function sharedDatabase(open: () => Promise<Knex>): () => Knex {
  let database: Knex | null = null;

  before(async () => {
    database = await open();
    await makeHostile(database);
    // Open connections still have the old settings.
    await database.destroy();
    database.initialize();
  });

  after(async () => {
    await database?.destroy();
  });

  return () => {
    if (database === null) throw new Error('The database exists only during tests');
    return database;
  };
}

/** Puts rows into a read model as the sync job does. */
export function putInto(writer: LeadingWriter) {
  return async <Kind extends RowKind>(kind: Kind, ...rows: readonly RowTypes[Kind][]): Promise<void> => {
    await writer.replace({ kind, ids: rows.map(({ id }) => id), rows });
  };
}
