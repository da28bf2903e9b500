import { ConnectedRedis } from '../../../support/redis/connected-redis.js';

/** A separate process that needs Redis no more once it has reported `closed`. */
const [url = ''] = process.argv.slice(2);
const redis = await ConnectedRedis.connect([url]);
await redis.breaker.run<string>(
  (client) => client.ping(),
  () => 'away',
);
await redis.close();
process.send?.('closed', () => process.disconnect());
