import { eventually } from '../../../../src/contracts/support/eventually.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { requestLogOn } from '../../../support/redis/request-log-on.js';

/** A separate process. On command it sends this many requests of one key at once and prints how many were accepted. */
const [url = '', keyId = '', requests = '', limit = ''] = process.argv.slice(2);
const redis = await ConnectedRedis.connect([url], 60_000);
const log = requestLogOn(redis.breaker);

// On a busy machine the connection may take longer than a program waits.
await eventually(async () => {
  if (!(await redis.breaker.answers())) throw new Error('Redis does not answer');
});

process.once('message', async () => {
  const window = { limit: Number(limit), lengthMs: 60_000 };
  const key = { id: keyId, organizationId: 'org' };
  const states = await Promise.all(Array.from({ length: Number(requests) }, () => log.record(key, window)));
  await redis.close();
  process.send?.(states.filter(({ accepted }) => accepted).length, () => process.disconnect());
});
process.send?.('ready');
