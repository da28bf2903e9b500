import { pathToFileURL } from 'node:url';
import type { Extension } from '../../../src/composition/extensions/extension.js';
import type { Environment } from '../../../src/composition/settings/read-settings.js';
import type { Leadership } from '../../../src/domain/ports/sync/leadership.js';
import type { ReadModelWriter } from '../../../src/domain/ports/sync/read-model-writer.js';
import type { Adapters } from './adapters.js';

/** The read side of a team, as its package provides it to the HTTP suite. */
interface TeamStore {
  /** The adapters that its extension binds. */
  readonly adapters: Adapters;
  /** Opens a new read model. */
  open(): Promise<OpenTeamStore>;
}

interface OpenTeamStore {
  readonly extension: Extension;
  /** The environment of the extension. */
  readonly environment: Environment;
  readonly writer: ReadModelWriter;
  readonly leadership: Leadership;
  close(): Promise<void>;
}

const { TEAM_STORE } = process.env;

/** The default export of the module that TEAM_STORE names; null if the variable is not set. */
export const teamStore: TeamStore | null =
  TEAM_STORE === undefined ? null : (await import(pathToFileURL(TEAM_STORE).href)).default;
