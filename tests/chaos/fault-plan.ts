import fc from 'fast-check';

/** How a part of the installation breaks, and how it is restored. */
export interface Fault {
  begin(): Promise<void>;
  end(): Promise<void>;
}
export type Faults = Readonly<Record<string, Fault>>;

interface Step {
  readonly afterMs: number;
  readonly fault: string;
  readonly lastsMs: number;
}
/** What befalls each part, one after the other: parts break beside each other, a part never twice at once. */
export type FaultPlan = Readonly<Record<string, readonly Step[]>>;

/** More than any round has time for. */
const STEPS = 100;

export interface Pace {
  /** How long a part is whole between two faults. */
  readonly afterMs: { readonly min: number; readonly max: number };
}
const USUAL: Pace = { afterMs: { min: 300, max: 6_000 } };

/** Some are longer than the 10 s after which a silent leader is followed. */
const lasts = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 20, max: 1_500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1_500, max: 13_000 }) },
);

/** The same seed, the same plans. What becomes of them is still a matter of timing. */
export function faultPlans(
  seed: number,
  rounds: number,
  parts: Readonly<Record<string, Faults>>,
  pace: Pace = USUAL,
): readonly FaultPlan[] {
  const after = fc.integer(pace.afterMs);
  const steps = (faults: Faults) =>
    fc.array(fc.record({ afterMs: after, fault: fc.constantFrom(...Object.keys(faults)), lastsMs: lasts }), {
      minLength: STEPS,
      maxLength: STEPS,
    });
  const plan = Object.fromEntries(Object.entries(parts).map(([part, faults]) => [part, steps(faults)]));
  // fast-check prefers the ends of a range: here no length of time is more telling than another.
  return fc.sample(fc.noBias(fc.record(plan)), { seed, numRuns: rounds });
}

/** Of the same plan: what befalls them stays the same. */
export function onlyParts(plan: FaultPlan, parts: readonly string[]): FaultPlan {
  return Object.fromEntries(Object.entries(plan).filter(([part]) => parts.includes(part)));
}
