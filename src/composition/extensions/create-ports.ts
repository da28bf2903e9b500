import type { Container, ServiceIdentifier } from 'inversify';
import { ConfigurationError, MissingSetting, missing } from '../settings/read-settings.js';
import type { Setting } from '../settings/setting.js';
import { nameOfPort, type Tokens } from '../tokens.js';

/**
 * Creates the ports, or throws a ConfigurationError with everything that is missing for them, after
 * what is wrong with the settings.
 */
export function createPorts<Ports>(
  container: Container,
  tokens: Tokens<Ports>,
  servers: readonly ServiceIdentifier[] = [],
  wrongSettings: readonly string[] = [],
) {
  const created = new Set<ServiceIdentifier>();
  for (const server of servers) {
    container.onActivation(server, (_, connection) => {
      created.add(server);
      return connection;
    });
  }
  // Several ports may depend on one that cannot be created.
  const problems = new Set(wrongSettings);
  const users = new Map<Setting<unknown>, string[]>();
  const make = ([name, token]: [string, ServiceIdentifier]): [string, unknown] => {
    try {
      return [name, container.get(token)];
    } catch (error) {
      if (error instanceof MissingSetting)
        users.set(error.setting, [...(users.get(error.setting) ?? []), nameOfPort(token)]);
      else if (error instanceof ConfigurationError)
        for (const problem of error.problems) problems.add(problem);
      else throw error;
      return [name, null];
    }
  };
  const ports = Object.fromEntries(Object.entries<ServiceIdentifier>(tokens).map(make));
  const isWrong = ({ variable }: Setting<unknown>) =>
    wrongSettings.some((problem) => problem.startsWith(`${variable} `));
  for (const [setting, names] of users) if (!isWrong(setting)) problems.add(missing(setting, names));
  if (problems.size > 0) {
    // What was created meanwhile is not needed any more.
    container.unbindAllAsync().catch(() => {});
    throw new ConfigurationError([...problems]);
  }
  return {
    ports: ports as Ports,
    /** A server connection, or null if nothing has needed it so far. */
    find: <Server>(server: ServiceIdentifier<Server>): Server | null =>
      created.has(server) ? container.get(server) : null,
    close: () => container.unbindAllAsync(),
  };
}
