import { median } from '../bench/figures.js';
import type { VitalSigns } from './vital-signs.js';

/** A process may use this much more memory at the end than after its warm-up, because garbage is collected late. */
const ALLOWED_GROWTH = 1.1;
/** One more connection of a pool, or one more open file. */
const ALLOWED_MORE = 5;

/** The signs that have grown from the second quarter of a run, when caches and pools are full, to the last one. */
export function growthOf(samples: readonly VitalSigns[]): readonly string[] {
  const quarter = Math.floor(samples.length / 4);
  const [warm, end] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
  const medianOf = (part: readonly VitalSigns[], name: string) =>
    median(part.map((signs) => signs[name] ?? Number.NaN));
  return Object.keys(samples[0] ?? {}).flatMap((name) => {
    const [before, after] = [medianOf(warm, name), medianOf(end, name)];
    const isFlat = after <= before * ALLOWED_GROWTH || after <= before + ALLOWED_MORE;
    return isFlat ? [] : [`${name}: ${before.toFixed(0)} at first, ${after.toFixed(0)} at the end`];
  });
}

/** The signs that exceeded the promise at any time in the last quarter of a run. */
export function excessOf(samples: readonly VitalSigns[], promised: VitalSigns): readonly string[] {
  const end = samples.slice(-Math.floor(samples.length / 4));
  return Object.entries(promised).flatMap(([name, most]) => {
    const highest = Math.max(...end.map((signs) => signs[name] ?? Number.NaN));
    return highest <= most ? [] : [`${name}: ${highest.toFixed(0)}, at most ${most} expected`];
  });
}
