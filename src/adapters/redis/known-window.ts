import type { Window } from '../../domain/model/window.js';
import type { OwnLog } from './own-log.js';
import type { RecordNames } from './record-script.js';

/** A key's window as one process knows it. */
export interface KnownWindow {
  readonly names: RecordNames;
  /** Of a cluster: names of one slot may be asked for in one command. */
  readonly slot: number;
  readonly own: OwnLog;
  window: Window;
  mendedAt: number;
  /** One command tells at a time: those behind it would tell the same. */
  isTelling: boolean;
}
