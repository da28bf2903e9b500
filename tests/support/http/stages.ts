import { mariaDbPrograms } from '../mariadb/test-mariadb.js';
import { noteUse } from '../run-notes.js';
import { teamStore } from './team-store.js';

/** A dashboard whose content the sync brings into the read tables. */
export type DashboardStage = 'reference-dashboard' | 'publishing-dashboard' | 'mariadb-dashboard';
/** What holds the content of an API under test: a read model into which finished rows are written, that of an extension too, or a dashboard. */
export type Stage = 'memory' | 'postgres' | 'team-store' | DashboardStage;

const READ_MODELS: readonly Stage[] = ['memory', 'postgres'];
const DASHBOARDS: readonly Stage[] = ['reference-dashboard', 'publishing-dashboard', 'mariadb-dashboard'];

const { HTTP_STAGES } = process.env;

/** What is promised over HTTP is tested on each: on the read models, or on those that HTTP_STAGES names, with commas. */
export const STAGES: readonly Stage[] = chosen(HTTP_STAGES ?? READ_MODELS.join());
/** For what is promised of the dashboard's content, on the reference dashboard each time. */
export const STAGES_WITH_DASHBOARD: readonly Stage[] =
  HTTP_STAGES === undefined ? [...STAGES, 'reference-dashboard'] : STAGES;

/** What a read model holds and a dashboard does not, with the reason. Tests ask for it by its name, and say nothing of stages themselves. */
const NOT_HELD = {
  'a website of two organizations': {
    by: DASHBOARDS,
    why: 'the id of a website is a key in each of them, and the row names one organization',
  },
  'any status': {
    by: DASHBOARDS,
    why: 'a check, or a number for each status, allows draft, scheduled, published and archived alone',
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
  const known = [...READ_MODELS, ...(teamStore === null ? [] : (['team-store'] as const)), ...DASHBOARDS];
  const stages = names.split(',').map((name) => {
    const stage = known.find((each) => each === name);
    if (stage === undefined)
      throw new Error(`HTTP_STAGES: there is no stage ${name}; the stages are ${known.join(', ')}`);
    return stage;
  });
  if (!stages.includes('mariadb-dashboard') || mariaDbPrograms() !== null) return stages;
  if (process.env.CI === 'true') throw new Error('There is no MariaDB for the tests: install mariadb-server');
  noteUse('MariaDB', 'none, so that the HTTP suite is not run over it (install mariadb-server)');
  return stages.filter((stage) => stage !== 'mariadb-dashboard');
}
