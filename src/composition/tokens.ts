import type { ServiceIdentifier } from 'inversify';
import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { WorkerConnection } from '../adapters/sql/worker-connection.js';
import type { Clock } from '../domain/ports/system/clock.js';
import type { ApiPorts, WorkerPorts } from './extensions/extension.js';

/** The token of a port, or of another part of a container. */
export type Token = ServiceIdentifier;

/** Typed names, so that the compiler checks what is bound. */
export type Tokens<Ports> = { readonly [Name in keyof Ports]: ServiceIdentifier<Ports[Name]> };

export const API_PORTS: Tokens<ApiPorts> = {
  clock: token('Clock'),
  log: token('Log'),
  metrics: token('Metrics'),
  keyHasher: token('KeyHasher'),
  blogReader: token('BlogReader'),
  categoryReader: token('CategoryReader'),
  tagReader: token('TagReader'),
  keyTable: token('KeyTable'),
  generationTable: token('GenerationTable'),
  requestLog: token('RequestLog'),
  responseCache: token('ResponseCache'),
  installation: token('Installation'),
};

export const MONOTONIC_CLOCK = token<Clock>('MonotonicClock');

/** Ports that a worker has for as long as it runs. */
export const LASTING_PORTS = { log: API_PORTS.log, metrics: API_PORTS.metrics };

/** Its other ports belong to a session, which lasts until the first failure. */
export type NeededBySession = Omit<WorkerPorts, 'log' | 'metrics'>;
export const SESSION_PORTS: Tokens<NeededBySession> = {
  leadership: token('Leadership'),
  readModelWriter: token('ReadModelWriter'),
  jobQueue: token('JobQueue'),
  syncNotes: token('SyncNotes'),
  generationTable: API_PORTS.generationTable,
  changeFeed: token('ChangeFeed'),
  contentSource: token('ContentSource'),
};

export const SESSION = {
  ...SESSION_PORTS,
  readTables: token<WorkerConnection>('ReadTables'),
  dashboard: token<MappedConnection>('Dashboard'),
};

export function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}

export function nameOfPort(token: Token): string {
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}
