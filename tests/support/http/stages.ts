import { hasMariaDb } from '../../qa/support/servers/test-mariadb.js';
import { noteUse } from '../run-notes.js';

/** A dashboard whose content the sync brings into the read tables. */
export type DashboardStage = 'reference-dashboard' | 'mariadb-dashboard';
/**
 * The source of the content of an API under test: a read model into which finished
 * rows are written, or a dashboard.
 */
export type Stage = 'memory' | 'postgres' | DashboardStage;

const READ_MODELS: readonly Stage[] = ['memory', 'postgres'];
const DASHBOARDS: readonly Stage[] = ['reference-dashboard', 'mariadb-dashboard'];

const { HTTP_STAGES } = process.env;

/**
 * The stages on which the promises of the HTTP interface are tested: the read models, or those in HTTP_STAGES,
 * separated by commas.
 */
export const STAGES: readonly Stage[] = chosen(HTTP_STAGES ?? READ_MODELS.join());
/** For promises that do not depend on the storage. */
export const ANY_STAGE: Stage = STAGES[0] ?? 'memory';
/** The stages for promises about the dashboard's content. They always include the reference dashboard. */
export const STAGES_WITH_DASHBOARD: readonly Stage[] =
  HTTP_STAGES === undefined ? [...STAGES, 'reference-dashboard'] : STAGES;

/**
 * What a read model can hold and a dashboard cannot, with the reason. Tests refer to it by name and do not mention
 * stages.
 */
const NOT_HELD = {
  'a website of two organizations': {
    by: DASHBOARDS,
    why: 'the id of a website is a key in each of them, and the row names one organization',
  },
  'any status': {
    by: DASHBOARDS,
    why: 'a check allows only draft, scheduled, published and archived',
  },
  'years of five digits': {
    by: ['mariadb-dashboard'] as readonly Stage[],
    why: 'its DATETIME ends with the year 9999',
  },
};

export function holds(stage: Stage, what: keyof typeof NOT_HELD): boolean {
  return !NOT_HELD[what].by.includes(stage);
}

function chosen(names: string): readonly Stage[] {
  const known = [...READ_MODELS, ...DASHBOARDS];
  const stages = names.split(',').map((name) => {
    const stage = known.find((each) => each === name);
    if (stage === undefined)
      throw new Error(`HTTP_STAGES: there is no stage ${name}; the stages are ${known.join(', ')}`);
    return stage;
  });
  if (!stages.includes('mariadb-dashboard') || hasMariaDb()) return stages;
  if (process.env.CI === 'true') throw new Error('There is no MariaDB for the tests: install mariadb-server');
  noteUse('MariaDB', 'none, so that the HTTP suite is not run over it (install mariadb-server)');
  return stages.filter((stage) => stage !== 'mariadb-dashboard');
}
