export type AnswerKind = 'list' | 'detail';

/** How long an answer may be served again, in milliseconds. 0: never. */
export class CacheLifetimes {
  constructor(private readonly lifetimes: Readonly<Record<AnswerKind, number>>) {}

  of(kind: AnswerKind): number {
    return this.lifetimes[kind];
  }
}
