import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sharedCluster } from '../../support/redis/redis-cluster.js';
import { MASTER, sharedSentinels } from '../../support/redis/redis-sentinels.js';
import { certificateAt, PASSWORD, securedBy } from '../../support/redis/secured.js';
import { TwoApis } from '../support/two-apis.js';

/** It contains the name `localhost` and no address. */
const OF_NAME = 'host-name.pem';
const OF_ADDRESS = 'certificate.pem';
const ACCOUNT = `:${encodeURIComponent(PASSWORD)}@`;

/** Two programs that trust the authority share a limit through this URL, and do not log the password. */
function itIsReached(certificate: string, urlOf: () => string): void {
  let apis: TwoApis | null = null;

  afterEach(async () => {
    await apis?.stop();
    apis = null;
  });

  it('by programs that trust the authority', async () => {
    const dashboard = await Dashboard.create(40);
    const running = await TwoApis.start({
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      REDIS_URL: urlOf(),
      NODE_EXTRA_CA_CERTS: certificateAt(certificate),
      LOG_LEVEL: 'debug',
    });
    apis = running;
    await eventually(async () => expect(await running.shareLimitOf(dashboard.tenant())).to.equal(true));
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) {
      expect(running.count(secret)).to.deep.equal({ one: 0, other: 0 });
    }
  });
}

describe('A Redis Cluster with TLS whose nodes announce host names and whose certificates contain only host names, is reached', () => {
  const { servers, connection } = securedBy(OF_NAME);
  const cluster = sharedCluster({
    connection,
    servers: {
      ...servers,
      settings: {
        ...servers.settings,
        'tls-cluster': 'yes',
        'cluster-announce-hostname': 'localhost',
        'cluster-preferred-endpoint-type': 'hostname',
      },
    },
  });

  itIsReached(OF_NAME, () =>
    cluster()
      .urls.map((url) => url.replace('redis://127.0.0.1', `rediss://${ACCOUNT}localhost`))
      .join(),
  );
});

describe('A Redis behind Sentinel with TLS, a private authority and passwords, is reached', () => {
  const { servers, connection } = securedBy(OF_ADDRESS);
  const sentinels = sharedSentinels({
    connection,
    servers,
    sentinel: [`sentinel auth-pass ${MASTER} ${PASSWORD}`],
  });

  itIsReached(OF_ADDRESS, () =>
    sentinels().urlWith({
      protocol: 'sentinels',
      account: ACCOUNT,
      parameters: `?sentinel_password=${encodeURIComponent(PASSWORD)}`,
    }),
  );
});
