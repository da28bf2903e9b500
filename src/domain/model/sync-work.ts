import type { SourceTypes } from './source.js';

/** Rows that show in other rows as well. */
export type WideKind = 'categories' | 'tags' | 'websites';

/**
 * What is read anew: all that shows something of these rows, all API keys, or everything. A check reads everything too, without haste and
 * though nothing is known to have changed. Generations are not read, but raised, all of them.
 */
export type WalkedScope = WideScope | { readonly of: 'apiKeys' | 'generations' | 'everything' | 'check' };

export interface WideScope {
  readonly of: WideKind;
  readonly keys: readonly string[];
}

/** Single rows with which nothing else succeeded. */
export interface RowsScope {
  readonly of: 'rows';
  readonly kind: keyof SourceTypes;
  readonly keys: readonly string[];
}

export type Scope = WalkedScope | RowsScope;

/** Work that takes more than one step. */
export interface Job {
  readonly id: number;
  readonly scope: Scope;
  /** Null: not begun. */
  readonly progress: JobProgress | null;
  /** How often it failed; each success makes up for one failure. */
  readonly attempts: number;
}

/** Where work goes on, also after a crash. */
export interface JobProgress {
  /** The how-manyeth of the stages that its scope has. */
  readonly stage: number;
  /** The last key of that stage that is done; null: none is. */
  readonly after: string | null;
  readonly done: number;
  /** Of this stage, as it was when the stage began; null where nobody counted. */
  readonly total: number | null;
}

/** What a step does to the list of work, in the transaction of its rows. */
export type JobUpdate =
  | { readonly kind: 'add'; readonly scope: Scope }
  | { readonly kind: 'advance'; readonly id: number; readonly progress: JobProgress }
  | { readonly kind: 'finish'; readonly id: number }
  | {
      readonly kind: 'fail';
      readonly id: number;
      readonly error: string;
      /** Until then it is not the next one. */
      readonly retryAfterMs: number;
    };

/** Something that was committed in the dashboard. */
export interface Change {
  /** Told apart by it, and nothing else. */
  readonly id: string;
  readonly kind: keyof SourceTypes | 'websites' | 'organizations' | 'everything';
  /** Null for `everything`, and for all API keys. */
  readonly key: string | null;
}
