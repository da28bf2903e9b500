import { GuardedRedis } from './guarded-redis.js';

/** A process of its own, that is done with Redis as soon as it says so. */
const [url = ''] = process.argv.slice(2);
const redis = await GuardedRedis.connect([url]);
await redis.guard.run<string>(
  (client) => client.ping(),
  () => 'away',
);
await redis.close();
process.send?.('closed', () => process.disconnect());
