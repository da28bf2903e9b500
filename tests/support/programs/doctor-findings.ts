import { expect } from 'chai';
import type { ReportedFinding } from '../../../src/adapters/cli/doctor-report.js';
import type { DoctorConfiguration } from '../../../src/composition/settings/configuration.js';
import { doctor } from '../../../src/programs/doctor/doctor.js';

/** The findings of the command, whose exit code has to agree with them. */
export async function findings(configuration: DoctorConfiguration): Promise<readonly ReportedFinding[]> {
  const printed: string[] = [];
  const isHealthy = await doctor(configuration, true, (text) => printed.push(text));
  const found: readonly ReportedFinding[] = JSON.parse(printed.join());
  expect(isHealthy).to.equal(found.every(({ outcome }) => outcome !== 'failure'));
  return found;
}

/** The problems that the command reports, a line each, and each with advice; but not what follows. */
export async function complaints(configuration: DoctorConfiguration): Promise<readonly string[]> {
  const notWell = (await findings(configuration)).filter(
    ({ outcome, message }) => outcome !== 'ok' && !message.startsWith('not checked: '),
  );
  for (const { check, advice } of notWell) expect(advice, check).to.match(/\w/);
  return notWell.map(({ check, outcome, message: found }) => `${outcome} ${check}: ${found}`);
}
