import { expect } from 'chai';
import { extendedApi } from '../../../src/composition/extensions/extend.js';
import type { DoctorConfiguration } from '../../../src/composition/settings/configuration.js';
import type { Examined } from '../../../src/domain/model/finding.js';
import { doctor } from '../../../src/programs/doctor/doctor.js';

type Optional = 'webhooks' | 'maxSyncAgeMs';
export type DoctorSettings = Omit<DoctorConfiguration, Optional> &
  Partial<Pick<DoctorConfiguration, Optional>>;

/** The findings of the command, whose exit code has to agree with them. */
export async function findings(settings: DoctorSettings): Promise<readonly Examined[]> {
  const configuration = { webhooks: [], maxSyncAgeMs: null, ...settings };
  const printed: string[] = [];
  const isHealthy = await doctor(configuration, true, (text) => printed.push(text), extendedApi([], {}));
  const found: readonly Examined[] = JSON.parse(printed.join());
  expect(isHealthy).to.equal(found.every(({ outcome }) => outcome !== 'failure'));
  return found;
}

/** The problems that the command reports, a line each, and each with advice; but not what follows. */
export async function complaints(settings: DoctorSettings): Promise<readonly string[]> {
  const notWell = (await findings(settings)).filter(
    ({ outcome, message }) => outcome !== 'ok' && !message.startsWith('not checked: '),
  );
  for (const { code, advice } of notWell) expect(advice, code).to.match(/\w/);
  return notWell.map(({ code, outcome, message }) => `${outcome} ${code}: ${message}`);
}
