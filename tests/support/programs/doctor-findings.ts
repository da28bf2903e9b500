import { expect } from 'chai';
import type { Finding } from '../../../src/adapters/cli/doctor-report.js';
import type { DoctorConfiguration } from '../../../src/composition/settings/configuration.js';
import { doctor } from '../../../src/programs/doctor/doctor.js';

/** The findings of the command, whose exit code has to agree with them. */
export async function findings(configuration: DoctorConfiguration): Promise<readonly Finding[]> {
  const printed: string[] = [];
  const isHealthy = await doctor(configuration, true, (text) => printed.push(text));
  const found: readonly Finding[] = JSON.parse(printed.join());
  expect(isHealthy).to.equal(found.every(({ outcome }) => outcome !== 'failure'));
  return found;
}

/** The problems that the command reports, a line each. Each has to come with advice. */
export async function complaints(configuration: DoctorConfiguration): Promise<readonly string[]> {
  const notWell = (await findings(configuration)).filter(({ outcome }) => outcome !== 'ok');
  for (const { check, advice } of notWell) expect(advice, check).to.match(/\w/);
  return notWell.map(({ check, outcome, message: found }) => `${outcome} ${check}: ${found}`);
}
