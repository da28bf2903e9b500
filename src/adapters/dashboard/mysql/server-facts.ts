import type { Knex } from 'knex';
import { queryRow } from './read/query-rows.js';

export interface MysqlFacts {
  readonly product: 'MariaDB' | 'MySQL';
  readonly version: string;
  readonly binlogFormat: string;
  readonly writesBinlog: boolean;
  readonly clockMs: number;
}

export async function mysqlFacts(database: Knex): Promise<MysqlFacts> {
  const { version, binlogFormat, logBin, clock } = await queryRow<Record<string, string>>(
    database,
    'select version() as version, @@binlog_format as binlogFormat, @@log_bin as logBin, unix_timestamp(now(3)) as clock',
  );
  const product = version?.includes('MariaDB') ? 'MariaDB' : 'MySQL';
  return {
    product,
    version: version?.split('-')[0] ?? '',
    binlogFormat: binlogFormat ?? '',
    writesBinlog: logBin === '1',
    clockMs: Math.round(Number(clock) * 1_000),
  };
}
