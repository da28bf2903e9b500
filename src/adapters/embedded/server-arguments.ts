import { ownerSetting } from './owner-lock.js';

export interface ServerSettings {
  readonly port: number;
  /** False for data that a power failure may destroy: tests. */
  readonly durable: boolean;
}

/** Passed on the command line, so that they also apply to data made by earlier versions of this program. */
export function serverArguments(dataPath: string, { port, durable }: ServerSettings): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    max_prepared_transactions: 10,
    shared_buffers: '64MB',
    max_wal_size: '256MB',
    lc_messages: 'C',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    [ownerSetting]: process.pid,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return ['-D', dataPath, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
