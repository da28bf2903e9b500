import type { Window } from '../../domain/model/window.js';
import type { OwnLog } from './own-log.js';
import type { RecordNames } from './record-script.js';

/** One process's knowledge of a key's window. */
export interface KnownWindow {
  readonly names: RecordNames;
  /** The slot in a cluster: names of one slot may be in one command. */
  readonly slot: number;
  readonly own: OwnLog;
  window: Window;
  repairedAt: number;
  /** Only one command at a time replays this key: others would replay the same. */
  isReplaying: boolean;
}
