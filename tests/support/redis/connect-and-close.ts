import { ConnectedRedis } from './connected-redis.js';

/** A process of its own, that is done with Redis as soon as it says so. */
const [url = ''] = process.argv.slice(2);
const redis = await ConnectedRedis.connect([url]);
await redis.breaker.run<string>(
  (client) => client.ping(),
  () => 'away',
);
await redis.close();
process.send?.('closed', () => process.disconnect());
