import type { Change } from '../model/sync-work.js';
import type { ContentSource } from './content-source.js';

/** What was committed in the dashboard and is not in the read model yet. A change stays until it is forgotten. */
export interface ChangeFeed {
  /**
   * The oldest changes, `limit` at most and fewer where their keys are too large together, and where there are any the source of the same moment:
   * nothing that commits later is in either. Changes of API keys come before all others, and alone; then those of websites, likewise.
   */
  read<Seen>(
    limit: number,
    see: (changes: readonly Change[], source: ContentSource) => Promise<Seen>,
  ): Promise<Seen>;
  /** Whether there is anything to look at: much cheaper than a look. */
  hasNew(): Promise<boolean>;
  /** All that waits, oldest first whatever its kind, and the source of the same moment. Null: it is more than can be held at once. */
  survey<Seen>(
    see: (changes: readonly Change[] | null, source: ContentSource) => Promise<Seen>,
  ): Promise<Seen>;
  acknowledge(changes: readonly Change[]): Promise<void>;
}
