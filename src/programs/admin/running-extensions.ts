import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { type Extended, namesOfReplaced, reasonsOf } from '../../composition/extensions/extend.js';
import type { ExtensionCheck } from '../../composition/extensions/extension.js';
import type { Check } from '../../domain/model/finding.js';
import type { Log } from '../../domain/ports/system/log.js';
import { checkBy, ok } from './examine.js';

/** The supervisor waits for a program to stop, and finally kills it. */
const STOP_TIMEOUT_MS = 10_000;

/** The extensions of a running program, and what closes its connections. */
export class RunningExtensions {
  readonly checks: readonly Check[];
  /** The names of the replacing extensions, by the names of the ports. */
  readonly replaced: Readonly<Record<string, string>>;
  #startedCount = 0;

  constructor(
    private readonly extended: Extended,
    private readonly close: () => Promise<void>,
    private readonly stopWithinMs = STOP_TIMEOUT_MS,
  ) {
    this.checks = extended.extensions.flatMap(({ additions }) => (additions.healthChecks ?? []).map(checkOf));
    this.replaced = namesOfReplaced(extended.replaced);
  }

  async start(log: Log, program: 'api' | 'sync'): Promise<void> {
    for (const { name } of this.extended.extensions) {
      const replaces = Object.keys(this.replaced).filter((port) => this.replaced[port] === name);
      log.info('extension loaded', { program, extension: name, replaces });
    }
    for (const { name, additions } of this.extended.extensions) {
      this.#startedCount++;
      try {
        await additions.start?.(log);
      } catch (error) {
        const reasons = reasonsOf(error).join('; ');
        throw new Error(`extension ${name} failed to start: ${reasons}`, { cause: error });
      }
    }
  }

  /** In reverse order of the start. One that fails or takes too long does not delay the others. */
  async stop(log: Log): Promise<void> {
    const started = this.extended.extensions.slice(0, this.#startedCount).toReversed();
    this.#startedCount = 0;
    for (const { name, additions } of started) {
      const stopped = (async () => additions.stop?.())();
      await withTimeLimit(this.stopWithinMs, stopped).catch((error: unknown) =>
        log.error('extension failed to stop', { extension: name, error }),
      );
    }
    await withTimeLimit(this.stopWithinMs, this.close()).catch((error: unknown) =>
      log.error('some resources could not be closed', { error }),
    );
  }
}

/** It may be an instance of a class whose `run` is a method. */
export function checkOf(check: ExtensionCheck): Check {
  const run = async () => {
    await check.run();
    return ok('passed');
  };
  return { ...checkBy(check.name, run), isNeeded: check.isNeeded ?? true };
}
