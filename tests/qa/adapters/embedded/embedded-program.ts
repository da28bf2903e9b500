import {
  EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../../../src/adapters/embedded/embedded-postgres.js';

/**
 * A program with an embedded PostgreSQL that tests kill. Arguments: the folder, the options as JSON. It writes one JSON
 * object per line. On SIGINT it uses the database once more and stops in order.
 */
const [directory = '', options = '{}'] = process.argv.slice(2);

function print(event: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

try {
  const postgres = await EmbeddedPostgres.start(directory, JSON.parse(options) as EmbeddedPostgresOptions);
  process.once('SIGINT', async () => {
    print({ event: 'used', url: await postgres.ensureDatabase('after_the_signal') });
    await postgres.stop();
    print({ event: 'stopped' });
  });
  print({ event: 'started', url: postgres.urlOf('postgres') });
} catch (error) {
  print({ event: 'refused', message: (error as Error).message });
}
