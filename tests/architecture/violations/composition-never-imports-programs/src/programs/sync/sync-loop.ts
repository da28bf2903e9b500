import { tokens } from '../../composition/tokens.js';

export interface SyncLoop {
  readonly token: keyof typeof tokens;
}
