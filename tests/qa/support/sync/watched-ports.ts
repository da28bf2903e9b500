import type { NeededBySession } from '../../../../src/composition/tokens.js';
import type { RowKind } from '../../../../src/domain/model/read-model.js';
import type { SourceReading } from '../../../../src/domain/model/source.js';
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

/** As if the rows were too large to read all of them at once. At least one of the requested ids is read. */
function firstIn<Kind extends RowKind>(
  reading: SourceReading<Kind>,
  requested: readonly string[],
  count: number,
): SourceReading<Kind> {
  const first = reading.ids.findIndex((id) => requested.includes(id));
  const ids = reading.ids.slice(0, Math.max(count, first + 1));
  const isRead = ({ id }: { readonly id: string }) => ids.includes(id);
  return { ids, rows: reading.rows.filter(isRead), refused: reading.refused.filter(isRead) };
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
  const watchedSource = (seen: ContentSource): ContentSource =>
    wrapped(
      seen,
      {
        keys: (kind, scope, after, limit) => step(() => seen.keys(kind, scope, after, few(limit))),
        read: (kind, ids) =>
          step(async () => firstIn(await seen.read(kind, ids), ids, Math.ceil(most() / 2))),
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
        keys: (kind, scope, after, limit) => step(() => readModelWriter.keys(kind, scope, after, few(limit))),
      },
      step,
    ),
    jobQueue: wrapped(jobQueue, {}, step),
  };
}
