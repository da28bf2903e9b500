import type { SyncPorts } from '../../../../src/composition/session-container.js';
import type { ContentSource } from '../../../../src/domain/ports/content-source.js';

/**
 * A worker before or after the call of a port, or during a read of the feed, with the changes read and nothing else
 * read yet.
 */
export type Boundary = `${'before' | 'during' | 'after'} ${string}`;

/**
 * The same ports. They report every boundary that a worker passes and hold it there until `pass` resolves. No batch
 * is larger than `most()`, so that little content takes many steps.
 */
export function watchedPorts(
  ports: SyncPorts,
  pass: (boundary: Boundary) => Promise<void>,
  most: () => number = () => Number.POSITIVE_INFINITY,
): SyncPorts {
  const { leadership, feed, source, writer, jobs, published } = ports;
  const watch = async <Result>(call: string, run: () => Promise<Result>): Promise<Result> => {
    await pass(`before ${call}`);
    const result = await run();
    await pass(`after ${call}`);
    return result;
  };
  const watchedSource = (watched: ContentSource): ContentSource => ({
    count: (kind) => watch('count', () => watched.count(kind)),
    owners: (websiteIds) => watch('owners', () => watched.owners(websiteIds)),
    keys: (kind, scope, after, limit) =>
      watch('keys', () => watched.keys(kind, scope, after, Math.min(limit, most()))),
    existing: (kind, ids) => watch('existing', () => watched.existing(kind, ids)),
    // As if blogs were too large to read all of them at once.
    read: (kind, ids) =>
      watch('read', () => watched.read(kind, kind === 'blogs' ? ids.slice(0, Math.ceil(most() / 2)) : ids)),
    readDigested: (ids) =>
      watch('read digested', () => watched.readDigested(ids.slice(0, Math.ceil(most() / 2)))),
  });
  return {
    leadership: { claim: () => watch('claim', () => leadership.claim()) },
    feed: {
      read: (limit, see) =>
        watch('read', () =>
          feed.read(Math.min(limit, most()), async (changes, seen) => {
            await pass('during read of the feed');
            return see(changes, watchedSource(seen));
          }),
        ),
      survey: (see) =>
        watch('survey', () =>
          feed.survey(async (changes, seen) => {
            await pass('during survey');
            return see(changes, watchedSource(seen));
          }),
        ),
      hasNew: () => watch('hasNew', () => feed.hasNew()),
      acknowledge: (changes) => watch('acknowledge', () => feed.acknowledge(changes)),
    },
    source: watchedSource(source),
    writer: {
      write: (epoch, update) => watch('write', () => writer.write(epoch, update)),
      differing: (slice) => watch('differing', () => writer.differing(slice)),
      hiddenWebsites: () => watch('hidden websites', () => writer.hiddenWebsites()),
      nextOrganizations: (after, limit) =>
        watch('next organizations', () => writer.nextOrganizations(after, Math.min(limit, most()))),
      keys: (kind, after, limit) =>
        watch('keys of rows', () => writer.keys(kind, after, Math.min(limit, most()))),
    },
    jobs: {
      count: (of) => jobs.count(of),
      next: (...lanes) => watch('next', () => jobs.next(...lanes)),
      unfinished: (scopes) => watch('unfinished', () => jobs.unfinished(scopes)),
      requestEverything: () => jobs.requestEverything(),
      find: (id) => jobs.find(id),
    },
    published: {
      publish: (raised) => watch('publish', () => published.publish(raised)),
      published: (organizationId) => published.published(organizationId),
    },
  };
}
