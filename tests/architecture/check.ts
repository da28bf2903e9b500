/** A rule of the architecture. The comment explains the reason to the person who broke it. */
export interface Rule {
  readonly name: string;
  readonly comment: string;
}

export interface Breach {
  readonly rule: string;
  /** `src/domain/model/blog.ts:3` */
  readonly place: string;
  readonly detail?: string;
}

/** Some rules, and a function that finds breaches in a project: a folder with `src` and possibly `tests`. */
export interface Check {
  readonly rules: readonly Rule[];
  findBreaches(project: string): Promise<readonly Breach[]>;
}

export function describeBreaches(rule: Rule, breaches: readonly Breach[]): string {
  const places = breaches.map(({ place, detail }) => (detail ? `  ${place} (${detail})` : `  ${place}`));
  return [`${rule.name} is broken at:`, ...places, `Reason: ${rule.comment}`].join('\n');
}
