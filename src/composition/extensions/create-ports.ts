import type { Container, ServiceIdentifier } from 'inversify';
import { ConfigurationError, MissingSetting } from '../settings/read-settings.js';
import { nameOfPort, type Tokens } from '../tokens.js';

/** What a container has created. */
export interface Created<Ports> {
  readonly ports: Ports;
  /** A server connection, or null if nothing has needed it so far. */
  find<Server>(server: ServiceIdentifier<Server>): Server | null;
  close(): Promise<void>;
}

/** Creates the ports, or throws a ConfigurationError with everything that is missing for them. */
export function createPorts<Ports>(
  container: Container,
  tokens: Tokens<Ports>,
  servers: readonly ServiceIdentifier[] = [],
): Created<Ports> {
  const created = new Set<ServiceIdentifier>();
  for (const server of servers) {
    container.onActivation(server, (_, connection) => {
      created.add(server);
      return connection;
    });
  }
  // Several ports may depend on one that cannot be created.
  const problems = new Set<string>();
  const users = new Map<string, string[]>();
  const make = ([name, token]: [string, ServiceIdentifier]): [string, unknown] => {
    try {
      return [name, container.get(token)];
    } catch (error) {
      if (error instanceof ConfigurationError) for (const problem of error.problems) problems.add(problem);
      else if (error instanceof MissingSetting)
        users.set(error.variable, [...(users.get(error.variable) ?? []), nameOfPort(token)]);
      else throw error;
      return [name, null];
    }
  };
  const ports = Object.fromEntries(Object.entries<ServiceIdentifier>(tokens).map(make));
  for (const [variable, names] of users) {
    // A, B and C
    const list = new Intl.ListFormat('en-GB').format(names);
    problems.add(`${variable} is missing: ${list} ${names.length === 1 ? 'uses' : 'use'} it`);
  }
  if (problems.size > 0) {
    // What was created meanwhile is not needed any more.
    container.unbindAllAsync().catch(() => {});
    throw new ConfigurationError([...problems]);
  }
  return {
    ports: ports as Ports,
    find: (server) => (created.has(server) ? container.get(server) : null),
    close: () => container.unbindAllAsync(),
  };
}
