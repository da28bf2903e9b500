import costs from './costs.json' with { type: 'json' };

/** The cost of one operation of each kind, as `npm run measure:costs` has measured it with the real programs. */
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
    /** Of an answer in the local cache. */
    readonly near: ProcessorTimes;
    /** Of an answer in Redis. */
    readonly shared: ProcessorTimes;
    readonly computed: ProcessorTimes;
  };
  readonly edit: {
    /** Of the worker. */
    readonly worker: number;
    /** Of both databases together, including the capture. */
    readonly postgres: number;
    /** The WAL of both databases. */
    readonly walBytes: number;
    /** For each blog that a fan-out rewrites. */
    readonly fanOutMs: number;
    /** From a commit until it is in the read tables, if no other change is waiting. */
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
    /** What Redis uses for an answer in addition to its body. */
    readonly entryInRedis: number;
    /** What Redis uses for a key with a full window. */
    readonly windowInRedis: number;
  };
  readonly memoryOfApi: number;
}
