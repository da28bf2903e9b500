import type { SourceTypes } from './source.js';

/** Kinds of rows whose content also appears in other rows. */
export type WideKind = 'categories' | 'tags' | 'websites';

/** All rows of one kind. */
export const ALL_OF = {
  apiKeys: 'apiKeys',
  categories: 'allCategories',
  tags: 'allTags',
  blogs: 'allBlogs',
} as const satisfies Record<keyof SourceTypes, string>;

/**
 * What is read again: what shows these rows, all rows of a kind, or all rows. Reconciling reads all
 * rows slowly.
 */
export type Scope =
  | WideScope
  | { readonly kind: (typeof ALL_OF)[keyof SourceTypes] | 'everything' | 'reconcile' };

export interface WideScope {
  readonly kind: WideKind;
  readonly keys: readonly string[];
}

/** What takes more than one step. */
export interface Job {
  readonly id: number;
  readonly scope: Scope;
  /** Null: not begun. */
  readonly progress: JobProgress | null;
  /** The number of failures. Each success subtracts one. */
  readonly attempts: number;
}

/** Where a job continues, also after a crash. */
export interface JobProgress {
  /** The index among the stages of its scope. */
  readonly stage: number;
  /** The last finished key of the stage. Null: none yet. */
  readonly after: string | null;
  readonly done: number;
  /** The number of rows in this stage when it began. Null: not counted. */
  readonly total: number | null;
}

/** The state of the job queue. */
export interface JobsState {
  /** The age of the oldest unfinished job; null: there is none. */
  readonly oldestMs: number | null;
  /** The same of the oldest step that is to be done next. */
  readonly oldestStepMs: number | null;
  readonly failing: number;
  /** Why the oldest of them fails; null: none does. */
  readonly firstError: string | null;
}

/** What a step changes in the job queue, in the same transaction as its rows. */
export type JobUpdate =
  | { readonly kind: 'add'; readonly scope: Scope }
  | { readonly kind: 'advance'; readonly id: number; readonly progress: JobProgress }
  | { readonly kind: 'finish'; readonly id: number }
  | {
      readonly kind: 'fail';
      readonly id: number;
      readonly error: string;
      /** The job is not selected before this time has passed. */
      readonly retryAfterMs: number;
    };

/** A request to read all rows of a kind again. */
export function allAgain(kind: keyof SourceTypes): JobUpdate {
  return { kind: 'add', scope: { kind: ALL_OF[kind] } };
}

export const API_KEYS_AGAIN = allAgain('apiKeys');
export const EVERYTHING_AGAIN: JobUpdate = { kind: 'add', scope: { kind: 'everything' } };
/** A rebuild in progress has read its keys already, so they are read again. */
export const ALL_AGAIN = [API_KEYS_AGAIN, EVERYTHING_AGAIN];

/** Something that was committed in the dashboard. */
export interface Change {
  /** Identifies the change. Nothing else about it is significant. */
  readonly id: string;
  readonly kind: keyof SourceTypes | 'websites' | 'organizations' | 'everything';
  /** Null for `everything`, and for all API keys. */
  readonly key: string | null;
}
