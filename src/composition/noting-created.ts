import type { Container, ServiceIdentifier } from 'inversify';

export interface Created {
  readonly container: Container;
  /** What has been created of a service, or null. */
  find<Service>(token: ServiceIdentifier<Service>): Service | null;
}

/** Tells what the ports of a container have created, and so use. */
export function notingCreated(container: Container, tokens: readonly ServiceIdentifier[]): Created {
  const created = new Set<ServiceIdentifier>();
  for (const token of tokens) {
    container.onActivation(token, (_, service) => {
      created.add(token);
      return service;
    });
  }
  return { container, find: (token) => (created.has(token) ? container.get(token) : null) };
}
