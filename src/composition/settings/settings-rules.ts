import { isIPv4 } from 'node:net';

/** Shared answers require shared generations. */
export function requireRedisUrlForCache(values: {
  readonly redisUrls?: readonly string[] | null;
  readonly redisCacheUrls?: readonly string[] | null;
}): string | null {
  if (values.redisUrls !== null || (values.redisCacheUrls ?? null) === null) return null;
  return 'REDIS_CACHE_URL is set without REDIS_URL: set REDIS_URL for limits and generations too, or neither';
}

/** If ADMIN_PORT is not set, the operators' port avoids the public one. If both are set, they must differ. */
export function requireDifferentPorts(values: {
  readonly port?: number;
  readonly host?: string;
  readonly adminPort?: number | null;
  readonly adminHost?: string;
}): string | null {
  const { port, host, adminPort, adminHost } = values;
  if (port === undefined || port === 0 || port !== adminPort) return null;
  if (host === undefined || adminHost === undefined) return null;
  if (host !== adminHost && !includes(host, adminHost) && !includes(adminHost, host)) return null;
  return `PORT and ADMIN_PORT are both ${port} on the same address: set one of them to another port`;
}

/** Whether a server on all addresses of the machine is on this one too. A name may stand for an address of IPv6. */
function includes(all: string, address: string): boolean {
  return all === '::' || (all === '0.0.0.0' && isIPv4(address));
}
