import { ContainerModule } from 'inversify';
import type { AppliedExtension } from '../extensions/extend.js';
import { TOKENS } from '../tokens.js';

/** Runs before admission, in the order of the extensions that bind it. */
export function extensionMiddleware(extensions: readonly AppliedExtension[]): ContainerModule {
  return new ContainerModule(({ bind, isBound }) => {
    const tokens = extensions.map(({ additions }) => additions.middleware).filter((token) => isBound(token));
    bind(TOKENS.middleware).toDynamicValue(({ getAll }) => tokens.flatMap((token) => getAll(token)));
  });
}
