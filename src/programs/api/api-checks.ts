import { readAsRequests } from '../../adapters/postgres/read/read-as-requests.js';
import { naming } from '../../adapters/sql/postgres/fault-of.js';
import type { SharedAnswers } from '../../application/requests/shared-answers.js';
import { maxSyncAgeMs, SyncTooOld } from '../../application/requests/sync-age.js';
import type { Check } from '../../domain/model/finding.js';
import type { Generations, SyncAge } from '../../domain/ports/reading/generations.js';
import {
  adviceOnReadTables,
  migrationsCheck,
  NO_QUESTION,
  onReadServer,
  type ReadTables,
  rightsCheck,
  tableCheck,
} from '../admin/checks.js';
import { before, check, checkBy, failure, findingOf, inTime, needed, ok, warning } from '../admin/examine.js';

/** Below the time limit of `/readyz`. */
const CHECK_OF_READ_TABLES_MS = 400;
const FIND_OUT_OF_SYNC =
  'check that a sync worker leads, and of a standby that it receives WAL and that its clock is right; MAX_SYNC_AGE_SECONDS is the limit';

/** What an API depends on, as a process or the doctor has opened it. */
export function apiChecks(
  readTables: ReadTables | null,
  syncAge: Check,
  redis: readonly Check[],
): readonly Check[] {
  if (readTables === null) return [syncAge, ...redis];
  const readDatabase = tableCheck('readDatabase', readTables, readAsRequests, () =>
    ok('all that requests read'),
  );
  const dependents = [migrationsCheck(readTables), rightsCheck('api', readTables)];
  return [...onReadServer(readTables, before(needed(readDatabase), dependents)), syncAge, ...redis];
}

/** Whether the stored generations are recent enough. `extension`: the one that stores them. */
export function syncAgeCheck(
  generations: Pick<Generations, 'read'>,
  extension: string | null,
  setting: number | null,
): Check {
  const read = async () => generations.read(NO_QUESTION);
  const judge = (sync: SyncAge) => {
    const limitMs = maxSyncAgeMs(sync, setting);
    if (sync.syncAgeMs > limitMs)
      return failure(new SyncTooOld(sync, limitMs).message, FIND_OUT_OF_SYNC, 'tooOld');
    return ok(sync.isStandby ? 'a standby that follows' : 'recent enough');
  };
  if (extension === null)
    return { ...needed(check('syncAge', adviceOnReadTables, read, judge)), after: ['readDatabase'] };
  const readThere = () => naming(`extension ${extension}`, read);
  return needed(check('syncAge', () => `see extension ${extension}`, readThere, judge));
}

/** What an extension has bound in place of the shared cache. */
export function cacheCheck(answers: Pick<SharedAnswers, 'reason'>, extension: string): Check {
  return checkBy('responseCache', async () => {
    if (answers.reason === null) return ok('works');
    return failure(`the shared cache fails: ${answers.reason}`, `see extension ${extension}`);
  });
}

/** An API that still has answers stays in service during an outage of what it needs. */
export function unlessAnswersAreLeft(check: Check, areLeft: () => Promise<boolean>): Check {
  if (!check.isNeeded) return check;
  const run = async () => {
    const checked = findingOf(inTime(CHECK_OF_READ_TABLES_MS, check));
    const [finding, hasAnswers] = await Promise.all([checked, areLeft()]);
    if (finding.outcome !== 'failure' || !hasAnswers) return finding;
    return warning(`answers come from the cache: ${finding.message}`, finding.advice, finding.cause);
  };
  return { ...check, run };
}
