import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { type ExtendedContainer, requireReplacements } from '../../composition/extensions/extend.js';
import type {
  Additions,
  ExtensionCheck,
  Lifecycle,
  ServiceIdentifier,
} from '../../composition/extensions/extension.js';
import {
  nameOfPort,
  namesOfReplaced,
  type Replacements,
} from '../../composition/extensions/ports-of-programs.js';
import { reasonsOf } from '../../composition/extensions/reasons-of.js';
import { ConfigurationError } from '../../composition/read-settings.js';
import type { Log } from '../../domain/ports/log.js';

/** The supervisor waits for a program to stop, and finally kills it. */
const STOP_TIMEOUT_MS = 10_000;

interface Owned<Thing> {
  readonly extension: string;
  readonly thing: Thing;
}

/** The extensions of a running program. */
export class RunningExtensions {
  readonly checks: readonly Check[];
  /** The names of the replacing extensions, by the names of the ports. */
  readonly replaced: Readonly<Record<string, string>>;
  readonly #lifecycles: readonly Owned<Lifecycle>[];
  #begun = 0;

  /**
   * Creates everything that they bind. Throws a ConfigurationError if that fails. `others`: what they bind to parts of the program that are
   * created and closed separately.
   */
  constructor(
    private readonly extended: ExtendedContainer,
    others: readonly Replacements[] = [],
    private readonly stopWithinMs = STOP_TIMEOUT_MS,
  ) {
    requireReplacements(extended);
    this.checks = allOf(extended, ({ healthCheck }) => healthCheck).map(({ thing }) => checkOf(thing));
    this.#lifecycles = allOf(extended, ({ lifecycle }) => lifecycle);
    this.replaced = namesOfReplaced([extended.replaced, ...others]);
  }

  async start(log: Log, program: 'api' | 'sync'): Promise<void> {
    for (const { name } of this.extended.extensions) {
      const replaces = Object.keys(this.replaced).filter((port) => this.replaced[port] === name);
      log.info('extension loaded', { program, extension: name, replaces });
    }
    for (const { extension, thing } of this.#lifecycles) {
      this.#begun++;
      try {
        await thing.start?.();
      } catch (error) {
        const reasons = reasonsOf(error).join('; ');
        throw new Error(`extension ${extension} failed to start: ${reasons}`, { cause: error });
      }
    }
  }

  /** In reverse order of the start. One that fails or takes too long is logged and does not delay the others. */
  async stop(log: Log): Promise<void> {
    const begun = this.#lifecycles.slice(0, this.#begun).toReversed();
    this.#begun = 0;
    for (const { extension, thing } of begun) {
      const stopped = (async () => thing.stop?.())();
      await withTimeLimit(this.stopWithinMs, stopped).catch((error: unknown) =>
        log.error('extension failed to stop', { extension, error }),
      );
    }
    await withTimeLimit(this.stopWithinMs, this.extended.container.unbindAllAsync()).catch((error: unknown) =>
      log.error('some resources could not be closed', { error }),
    );
  }
}

function allOf<Thing>(
  { container, extensions }: ExtendedContainer,
  tokenIn: (additions: Additions) => ServiceIdentifier<Thing>,
): readonly Owned<Thing>[] {
  return extensions.flatMap(({ name, additions }) => {
    const token = tokenIn(additions);
    if (!container.isBound(token)) return [];
    try {
      return container.getAll(token).map((thing) => ({ extension: name, thing }));
    } catch (error) {
      const reasons = reasonsOf(error).map((reason) => `extension ${name}, ${nameOfPort(token)}: ${reason}`);
      throw new ConfigurationError(reasons);
    }
  });
}

/** It may be an instance of a class whose `run` is a method. */
function checkOf(check: ExtensionCheck): Check {
  const { name, isNeeded = true } = check;
  return {
    name,
    run: async () => {
      try {
        await check.run();
      } catch (error) {
        throw isNeeded ? error : new Degraded(reasonsOf(error).join('; '));
      }
    },
  };
}
