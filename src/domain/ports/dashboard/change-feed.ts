import type { Change } from '../../model/job.js';
import type { ContentSource } from './content-source.js';

/** Committed changes of the dashboard; each remains until it is acknowledged. */
export interface ChangeFeed {
  /**
   * Returns changes and the source of the same snapshot: neither contains a later commit. Up to
   * `limit` changes, or fewer if their keys are too large together. They come from both ends in
   * turn: the oldest, the newest, the second oldest and so on. After an acknowledgement, the other
   * end begins, so that a change that always fails is alone in a batch of one. Changes of API keys
   * come in batches of their own, and so do changes of websites. API keys come first, then
   * websites, then all others; after a batch of one lane is acknowledged, the next lane has its
   * turn, so that a stream in one lane does not delay the others, and after a read that fails, that
   * of API keys. The source is given only if there are changes.
   */
  read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen>;
  /**
   * Whether changes wait. Much cheaper than `read`. A transaction that commits after a younger one
   * was read may be reported some seconds late.
   */
  hasNew(): Promise<boolean>;
  acknowledge(changes: readonly Change[]): Promise<void>;
}
