import { ContainerModule } from 'inversify';
import { PrimaryContent } from '../../adapters/postgres/content-database.js';
import { databaseName } from '../../adapters/postgres/database-name.js';
import { PrimaryIdentity } from '../../adapters/postgres/primary-identity.js';
import { openReplica } from '../../adapters/postgres/read-database.js';
import { Replica } from '../../adapters/postgres/replica.js';
import { ReplicatedContent } from '../../adapters/postgres/replicated-content.js';
import type { ApiNeeds } from '../extensions/ports-of-programs.js';
import { TOKENS } from '../tokens.js';

/**
 * Content is read from these servers. If there are none, or none responds, it is read from the primary. Keys in the read tables are read
 * from these servers while the primary does not respond.
 */
export function readReplicas(
  urls: readonly string[],
  { keys: hasKeys }: Pick<ApiNeeds, 'keys'>,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.primaryIdentity).toResolvedValue(
      (primary) => new PrimaryIdentity(primary),
      [TOKENS.readDatabase],
    );
    bind(TOKENS.replicas)
      .toResolvedValue(
        (primary, log, metrics) =>
          urls.map(
            (url) =>
              new Replica(
                databaseName(url),
                openReplica(url, () => primary.known),
                log,
                metrics,
              ),
          ),
        [TOKENS.primaryIdentity, TOKENS.log, TOKENS.metrics],
      )
      .onDeactivation(async (replicas) => {
        await Promise.all(replicas.map((replica) => replica.close()));
      });
    bind(TOKENS.replicasOfKeys).toResolvedValue((replicas) => (hasKeys ? replicas : []), [TOKENS.replicas]);
    bind(TOKENS.contentDatabase).toResolvedValue(
      (database, replicas, metrics) => {
        const primary = new PrimaryContent(database);
        return replicas.length === 0 ? primary : new ReplicatedContent(primary, replicas, metrics);
      },
      [TOKENS.readDatabase, TOKENS.replicas, TOKENS.metrics],
    );
  });
}
