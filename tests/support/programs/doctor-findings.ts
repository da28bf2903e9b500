import { expect } from 'chai';
import type { Finding } from '../../../src/adapters/cli/doctor-report.js';
import type { DoctorConfiguration } from '../../../src/composition/job-configuration.js';
import type { Clock } from '../../../src/domain/ports/clock.js';
import { doctor } from '../../../src/programs/doctor/doctor.js';
import type { ExtendedParts } from '../../../src/programs/doctor/extended-parts.js';

/** What the command finds, which answers as it has found. */
export async function findings(
  configuration: DoctorConfiguration,
  clock?: Clock,
  parts?: ExtendedParts | null,
): Promise<readonly Finding[]> {
  const printed: string[] = [];
  const isWell = await doctor(configuration, true, (text) => printed.push(text), clock, parts);
  const found: readonly Finding[] = JSON.parse(printed.join());
  expect(isWell).to.equal(found.every(({ outcome }) => outcome !== 'failure'));
  return found;
}

/** What is not well, a line each; for all of it there is advice. */
export async function complaints(...asked: Parameters<typeof findings>): Promise<readonly string[]> {
  const notWell = (await findings(...asked)).filter(({ outcome }) => outcome !== 'ok');
  for (const { check, advice } of notWell) expect(advice, check).to.match(/\w/);
  return notWell.map(({ check, outcome, found }) => `${outcome} ${check}: ${found}`);
}
