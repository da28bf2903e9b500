import fc from 'fast-check';

/** How a part of the installation breaks, and how it is restored. */
export interface Fault {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}
export type Faults = Readonly<Record<string, Fault>>;

interface Step {
  readonly afterMs: number;
  readonly fault: string;
  readonly lastsMs: number;
}
/** The faults of each part, in order. Several parts may fail at the same time; a part has one fault at a time. */
export type FaultPlan = Readonly<Record<string, readonly Step[]>>;

/** More than fit into any round. */
const STEPS = 100;
/** How long a part works between two faults. */
const after = fc.integer({ min: 300, max: 6_000 });
/** Some last longer than the 10 s after which a standby replaces a silent leader. */
const lasts = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 20, max: 1_500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_500, max: 13_000 }) },
);

/** The same seed gives the same plans. Their effects still depend on timing. */
export function faultPlans(
  seed: number,
  rounds: number,
  parts: Readonly<Record<string, Faults>>,
): readonly FaultPlan[] {
  const steps = (faults: Faults) =>
    fc.array(fc.record({ afterMs: after, fault: fc.constantFrom(...Object.keys(faults)), lastsMs: lasts }), {
      minLength: STEPS,
      maxLength: STEPS,
    });
  const plan = Object.fromEntries(Object.entries(parts).map(([part, faults]) => [part, steps(faults)]));
  // fast-check prefers the ends of a range, but no duration is more useful than another here.
  return fc.sample(fc.noBias(fc.record(plan)), { seed, numRuns: rounds });
}
