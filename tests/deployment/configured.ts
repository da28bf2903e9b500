import { expect } from 'chai';
import { parseCommandLine } from '../../src/adapters/cli/command-line.js';
import {
  type ApiConfiguration,
  dashboardConfiguration,
  migrateConfiguration,
  type Operated,
} from '../../src/composition/settings/configuration.js';
import { ALL_SETTINGS } from '../support/programs/all-settings.js';
import { apiConfiguration, syncConfiguration } from '../support/programs/valid-configurations.js';

/** The time that docs/configuration.md requires in addition to DRAIN_SECONDS. */
export const SECONDS_TO_FINISH = 15;

export const SETTINGS = ALL_SETTINGS;

const CONFIGURATION_OF = {
  api: apiConfiguration,
  sync: syncConfiguration,
  migrate: migrateConfiguration,
  'dashboard:migrate': dashboardConfiguration,
  'demo:load': dashboardConfiguration,
};

type Configured = Partial<ApiConfiguration & Operated>;

/** What a container runs; a command that does not exist, or a setting that nothing reads, is refused. */
export function configured(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Configured {
  const { name } = parseCommandLine(command);
  expect(name).to.be.oneOf(Object.keys(CONFIGURATION_OF));
  expect(SETTINGS.map(({ variable }) => variable)).to.include.members(Object.keys(environment));
  const settings: object = CONFIGURATION_OF[name as keyof typeof CONFIGURATION_OF](environment);
  for (const url of ['readDatabaseUrl', 'writeDatabaseUrl']) expect(settings).not.to.include({ [url]: null });
  return settings;
}
