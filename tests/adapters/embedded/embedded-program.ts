import {
  EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../../../src/adapters/embedded/embedded-postgres.js';

/**
 * A program with an embedded PostgreSQL, to be killed by tests. Arguments: the folder, the options as JSON. It writes
 * one JSON object per line, and stops in order on SIGINT, after having used the database once more.
 */
const [directory = '', options = '{}'] = process.argv.slice(2);

function say(event: Record<string, unknown>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

try {
  const postgres = await EmbeddedPostgres.start(directory, JSON.parse(options) as EmbeddedPostgresOptions);
  process.once('SIGINT', async () => {
    say({ event: 'used', url: await postgres.ensureDatabase('after_the_signal') });
    await postgres.stop();
    say({ event: 'stopped' });
  });
  say({ event: 'started', url: postgres.urlOf('postgres') });
} catch (error) {
  say({ event: 'refused', message: (error as Error).message });
}
