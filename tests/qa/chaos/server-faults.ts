import type { TcpProxy } from '../../support/network/tcp-proxy.js';
import type { Faults } from './fault-plan.js';

/** What may happen to the connections of the programs to a server, and to a server that can be killed. */
export function faultsOfNetwork(proxy: TcpProxy, endSessions: () => Promise<void>): Faults {
  return {
    frozen: { begin: async () => proxy.freeze(), end: async () => proxy.release() },
    'cut off': { begin: () => proxy.cut(), end: () => proxy.restore() },
    'sessions ended': { begin: endSessions, end: async () => {} },
  };
}

interface Killable {
  pause(): void | Promise<void>;
  resume(): void | Promise<void>;
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

export function faultsOfServer(server: Killable): Faults {
  return {
    'frozen itself': { begin: async () => server.pause(), end: async () => server.resume() },
    killed: { begin: () => server.kill(), end: () => server.startAgain() },
  };
}
