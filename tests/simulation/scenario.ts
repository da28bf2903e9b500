/** The load of the service. Everything here is assumed; its costs are measured (costs.json). */
export interface Scenario {
  readonly seed: number;
  readonly organizations: number;
  readonly blogs: number;
  readonly requestsPerSecond: number;
  readonly editsPerSecond: number;
  /** How unequal organizations are, in blogs, requests and edits alike. */
  readonly organizationZipf: number;
  /** How unequal the blogs and pages of one organization are. */
  readonly addressZipf: number;
  /** The shares of requests for one blog, for a page of a list and for a search. */
  readonly kinds: Readonly<Record<Kind, number>>;
  readonly pageSize: number;
  /** The number of terms that the callers of one organization search for. */
  readonly searches: number;
  /** The share of edits that rename a category, which rewrites all blogs in it. */
  readonly renames: number;
  /** The share of an organization's blogs in the renamed category. */
  readonly blogsOfCategory: number;
  /** The number of API processes, among which requests are distributed at random. */
  readonly processes: number;
  readonly localCacheBytes: number;
  readonly lifetimeSeconds: Readonly<Record<Kind, number>>;
  /** The first seconds of the simulation, which begins with empty caches. */
  readonly warmUpSeconds: number;
  readonly measuredSeconds: number;
}

/** What an entry of a local cache uses in addition to its body, as the adapter counts it. */
export const BYTES_OF_ENTRY = 1_000;

export const KINDS = ['detail', 'list', 'search'] as const;
export type Kind = (typeof KINDS)[number];

export const SCENARIO: Scenario = {
  seed: 20261122,
  organizations: 100_000,
  blogs: 100_000_000,
  requestsPerSecond: 50_000,
  editsPerSecond: 200,
  organizationZipf: 0.8,
  addressZipf: 1.1,
  kinds: { detail: 0.7, list: 0.27, search: 0.03 },
  pageSize: 20,
  searches: 1_000,
  renames: 0.001,
  blogsOfCategory: 0.1,
  processes: 44,
  localCacheBytes: 15 * 1024 * 1024,
  lifetimeSeconds: { detail: 900, list: 300, search: 300 },
  warmUpSeconds: 900,
  measuredSeconds: 300,
};

/**
 * A part of the scenario, whose organizations are requested and edited as often as the average: small enough to
 * simulate every request.
 */
export function partOf(scenario: Scenario, part: number): Scenario {
  return {
    ...scenario,
    organizations: scenario.organizations / part,
    blogs: scenario.blogs / part,
    requestsPerSecond: scenario.requestsPerSecond / part,
    editsPerSecond: scenario.editsPerSecond / part,
    processes: 2,
  };
}

/** How many addresses of a kind an organization with this share has. */
export function addressesOf(kind: Kind, share: number, scenario: Scenario): number {
  const blogs = Math.max(1, Math.round(share * scenario.blogs));
  if (kind === 'search') return scenario.searches;
  return kind === 'detail' ? blogs : Math.ceil(blogs / scenario.pageSize);
}
