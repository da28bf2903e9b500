import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { TwoApis } from '../../support/http/two-apis.js';
import { sharedCluster } from '../../support/redis/redis-cluster.js';
import { MASTER, sharedSentinels } from '../../support/redis/redis-sentinels.js';

const PASSWORD = 'pass/word?with:signs@and#more';
const CERTIFICATE = fileURLToPath(new URL('../../support/network/tls/certificate.pem', import.meta.url));
/** It contains the name `localhost` and no address. */
const CERTIFICATE_OF_NAME = fileURLToPath(
  new URL('../../support/network/tls/host-name.pem', import.meta.url),
);
const KEY = readFileSync(new URL('../../support/network/tls/key.pem', import.meta.url), 'utf8');

function securedBy(certificate: string) {
  const pem = readFileSync(certificate, 'utf8');
  return {
    servers: {
      prepare: `printf '%s' '${pem}' > certificate.pem; printf '%s' '${KEY}' > key.pem`,
      settings: {
        requirepass: PASSWORD,
        'tls-cert-file': 'certificate.pem',
        'tls-key-file': 'key.pem',
        'tls-ca-cert-file': 'certificate.pem',
        'tls-auth-clients': 'no',
        'tls-replication': 'yes',
      },
      tls: true,
    },
    connection: { tls: { ca: pem }, password: PASSWORD },
  };
}

const ACCOUNT = `:${encodeURIComponent(PASSWORD)}@`;

/** Two programs that trust the authority share a limit through this URL, and do not log the password. */
function itIsReached(urlOf: () => string, certificate = CERTIFICATE): void {
  let apis: TwoApis | null = null;

  afterEach(async () => {
    await apis?.stop();
    apis = null;
  });

  const start = async (authority: string) => {
    const dashboard = await Dashboard.create(40);
    const running = await TwoApis.start({
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      REDIS_URL: urlOf(),
      NODE_EXTRA_CA_CERTS: authority,
      LOG_LEVEL: 'debug',
    });
    apis = running;
    return { running, dashboard };
  };

  it('by programs that trust the authority', async () => {
    const { running, dashboard } = await start(certificate);
    await eventually(async () => expect(await running.shareLimitOf(dashboard.tenant())).to.equal(true));
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) {
      expect(running.count(secret)).to.deep.equal({ one: 0, other: 0 });
    }
  });
}

describe('A Redis Cluster with TLS whose nodes announce host names and whose certificates contain only host names, is reached', () => {
  const { servers, connection } = securedBy(CERTIFICATE_OF_NAME);
  const cluster = sharedCluster({
    connection,
    servers: {
      ...servers,
      settings: {
        ...servers.settings,
        masterauth: PASSWORD,
        'tls-cluster': 'yes',
        'cluster-announce-hostname': 'localhost',
        'cluster-preferred-endpoint-type': 'hostname',
      },
    },
  });

  itIsReached(
    () =>
      cluster()
        .urls.map((url) => url.replace('redis://127.0.0.1', `rediss://${ACCOUNT}localhost`))
        .join(),
    CERTIFICATE_OF_NAME,
  );
});

describe('A Redis behind Sentinel with TLS, a private authority and passwords, is reached', () => {
  const { servers, connection } = securedBy(CERTIFICATE);
  const sentinels = sharedSentinels({
    connection,
    servers: { ...servers, settings: { ...servers.settings, masterauth: PASSWORD } },
    sentinel: [`sentinel auth-pass ${MASTER} ${PASSWORD}`],
  });

  itIsReached(() =>
    sentinels().urlWith({
      protocol: 'sentinels',
      account: ACCOUNT,
      parameters: `?sentinel_password=${encodeURIComponent(PASSWORD)}`,
    }),
  );
});
