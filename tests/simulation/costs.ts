import costs from './costs.json' with { type: 'json' };

/** What one of each costs, as `npm run measure:costs` has measured it on the real programs. */
export const COSTS: Costs = costs;

/** Processor time in microseconds. */
interface ProcessorTimes {
  readonly api: number;
  readonly redis: number;
  readonly postgres: number;
}

export interface Costs {
  readonly at: string;
  readonly machine: string;
  readonly requests: {
    /** Found in the memory of the process. */
    readonly near: ProcessorTimes;
    /** Found in Redis. */
    readonly shared: ProcessorTimes;
    readonly computed: ProcessorTimes;
  };
  readonly edit: {
    /** Of the worker. */
    readonly worker: number;
    /** Of both databases together, capture included. */
    readonly postgres: number;
    /** Written ahead by both databases. */
    readonly walBytes: number;
    /** Of one blog that is rewritten for another's sake. */
    readonly fanOutMs: number;
    /** From a commit until the read tables show it, with nothing before it. */
    readonly aloneMs: number;
  };
  readonly bytes: {
    /** In all tables and indexes of the read tables, for each blog. */
    readonly ofBlog: Readonly<Record<string, number>>;
    readonly ofBlogInAll: number;
    /** Of a body. */
    readonly detail: number;
    readonly list: number;
    readonly search: number;
    /** What Redis takes for an answer beside its body. */
    readonly entryInRedis: number;
    /** What Redis takes for a key that has used its window up. */
    readonly windowInRedis: number;
  };
  readonly memoryOfApi: number;
}
