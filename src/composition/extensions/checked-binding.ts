import type { BindToFluentSyntax } from 'inversify';

type Factory = (...given: never[]) => unknown;

/** JavaScript does not detect a misspelt name, or a token of another program. */
export function requireToken(token: unknown, tokens: object): void {
  if (token !== undefined && token !== null) return;
  throw new Error(`binds ${token}, which is not a token; the tokens are ${Object.keys(tokens).join(', ')}`);
}

/** Requires synchronous factories: the container rejects promises, and a promise that fails would be unhandled. */
export function withSynchronousFactory<Service>(
  binding: BindToFluentSyntax<Service>,
): BindToFluentSyntax<Service> {
  return new Proxy(binding, {
    get: (target, property) => {
      const method: unknown = Reflect.get(target, property);
      if (typeof method !== 'function') return method;
      const takesFactory = property === 'toResolvedValue' || property === 'toDynamicValue';
      return (first: unknown, ...others: unknown[]) =>
        method.call(target, takesFactory ? requireSynchronous(first as Factory) : first, ...others);
    },
  });
}

function requireSynchronous(factory: Factory): Factory {
  return (...given) => {
    const made = factory(...given);
    if (!(made instanceof Promise)) return made;
    // It may reject later, when no one awaits it.
    made.catch(() => {});
    throw new Error(
      'it is created asynchronously: create it synchronously, and use a `lifecycle` for anything that takes time',
    );
  };
}
