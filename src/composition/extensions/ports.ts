import type { ServiceIdentifier } from 'inversify';
import { SESSION } from '../session-tokens.js';
import { API_PORTS, TOKENS, type Tokens } from '../tokens.js';
import type { WorkerPorts } from './extension.js';

/** The token of a port, or of another part of a container. */
export type Token = ServiceIdentifier;

/** What each API needs. Only the adapters of Redis create the installation. */
export const NEEDED_BY_API: readonly ServiceIdentifier[] = Object.values<ServiceIdentifier>(API_PORTS).filter(
  (token) => token !== API_PORTS.installation,
);

/** Those that a worker has for as long as it runs. */
export const LASTING_PORTS = { log: TOKENS.log, metrics: TOKENS.metrics };

/** Those of the API that use the read tables by default. */
export const READ_PORTS = {
  blogReader: TOKENS.blogReader,
  categoryReader: TOKENS.categoryReader,
  tagReader: TOKENS.tagReader,
  keyTable: TOKENS.keyTable,
  generationTable: TOKENS.generationTable,
};

/** Those of the worker. */
export const STORED_PORTS = {
  leadership: SESSION.leadership,
  readModelWriter: SESSION.readModelWriter,
  jobQueue: SESSION.jobQueue,
  syncNotes: SESSION.syncNotes,
  generationTable: SESSION.generationTable,
};

/** Those that use the dashboard's database by default. */
export const DASHBOARD_PORTS = { changeFeed: SESSION.changeFeed, contentSource: SESSION.contentSource };

export const WORKER_PORTS: Tokens<WorkerPorts> = {
  ...LASTING_PORTS,
  ...STORED_PORTS,
  ...DASHBOARD_PORTS,
  publishedGenerations: SESSION.publishedGenerations,
  installation: SESSION.installation,
};

export function nameOfPort(token: ServiceIdentifier): string {
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}
