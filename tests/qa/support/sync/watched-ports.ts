import type { NeededBySession } from '../../../../src/composition/tokens.js';
import type { ContentSource } from '../../../../src/domain/ports/dashboard/content-source.js';

type Around = <Result>(call: () => Promise<Result>) => Promise<Result>;

/** The same port with some calls replaced, and the others made within `around`. */
export function wrapped<Port extends object>(
  port: Port,
  replaced: Partial<Port>,
  around: Around = (call) => call(),
): Port {
  return new Proxy(port, {
    get(target, name) {
      const call = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      return Reflect.get(replaced, name) ?? ((...args: unknown[]) => around(() => call.apply(target, args)));
    },
  });
}

/**
 * The same ports. A worker is held before and after each call, and during a read of the feed, until `pass` resolves.
 * No batch is larger than `most()`, so that little content takes many steps.
 */
export function watchedPorts(
  ports: NeededBySession,
  pass: () => Promise<void>,
  most: () => number,
): NeededBySession {
  const { leadership, changeFeed, contentSource, readModelWriter, jobQueue } = ports;
  const step: Around = async (call) => {
    await pass();
    const result = await call();
    await pass();
    return result;
  };
  const few = (limit: number) => Math.min(limit, most());
  // As if blogs were too large to read all of them at once.
  const fewer = (ids: readonly string[]) => ids.slice(0, Math.ceil(most() / 2));
  const watchedSource = (seen: ContentSource): ContentSource =>
    wrapped(
      seen,
      {
        keys: (kind, scope, after, limit) => step(() => seen.keys(kind, scope, after, few(limit))),
        read: (kind, ids) => step(() => seen.read(kind, kind === 'blogs' ? fewer(ids) : ids)),
      },
      step,
    );
  return {
    ...ports,
    leadership: wrapped(leadership, {}, step),
    changeFeed: wrapped(
      changeFeed,
      {
        read: (limit, see) =>
          step(() =>
            changeFeed.read(few(limit), async (changes, seen) => {
              await pass();
              return see(changes, watchedSource(seen));
            }),
          ),
      },
      step,
    ),
    contentSource: watchedSource(contentSource),
    readModelWriter: wrapped(
      readModelWriter,
      {
        nextOrganizations: (after, limit) => step(() => readModelWriter.nextOrganizations(after, few(limit))),
        keys: (kind, after, limit) => step(() => readModelWriter.keys(kind, after, few(limit))),
      },
      step,
    ),
    jobQueue: wrapped(jobQueue, {}, step),
  };
}
