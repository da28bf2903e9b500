import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { GenericContainer, Wait } from 'testcontainers';
import { freePort } from '../../../src/adapters/embedded/free-port.js';
import { forcedImage, hasDocker } from '../containers.js';

const IMAGE = 'redis:7-alpine';
/** Enough for a cluster, for the ports between its nodes, and for some single servers. */
const PORTS_OF_CONTAINER = 24;

/** No system uses these ports for outgoing connections, so a restarted server finds its port free. */
const NOT_FOR_CLIENTS = [10_000, 32_000] as const;

/** The machine of the Redis servers of a test run. All operations on them are shell scripts there. */
export interface RedisMachine {
  readonly description: string;
  /** The address that servers bind to. */
  readonly bind: string;
  /** Returns the output. Throws if the script fails. */
  shell(script: string): Promise<string>;
  /** A free port. A server of the machine is reachable from here under the same number. */
  port(): Promise<number>;
  stop(): Promise<void>;
}

/** This computer if it has redis-server and TEST_REDIS forces no image, otherwise a container; null without either. */
export async function findRedisMachine(): Promise<RedisMachine | null> {
  const image = forcedImage('TEST_REDIS');
  return image === null ? ((await thisComputer()) ?? container(IMAGE)) : container(image);
}

async function thisComputer(): Promise<RedisMachine | null> {
  const run = promisify(execFile);
  const shell = async (script: string) => (await run('sh', ['-c', script])).stdout;
  const version = await shell('redis-server --version').catch(() => null);
  if (version === null) return null;
  const given = new Set<number>();
  return {
    description: `redis-server ${/v=(\S+)/.exec(version)?.[1]} on the PATH`,
    bind: '127.0.0.1',
    shell,
    port: async () => {
      for (;;) {
        const port = randomInt(...NOT_FOR_CLIENTS);
        if (!given.has(port) && (await isFree(port)) && given.add(port)) return port;
      }
    },
    stop: async () => {},
  };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await once(server.close(), 'close');
  return isListening;
}

/**
 * Many servers in one container. The image of Valkey has `redis-server` and `redis-cli` too, as links. Their ports have the same numbers inside and outside, which the nodes of a cluster
 * require.
 */
async function container(image: string): Promise<RedisMachine | null> {
  if (!(await hasDocker())) return null;
  const ports = new Set<number>();
  while (ports.size < PORTS_OF_CONTAINER) ports.add(await freePort());
  const started = await new GenericContainer(image)
    .withCommand(['sleep', '86400'])
    .withExposedPorts(...[...ports].map((port) => ({ container: port, host: port })))
    .withWaitStrategy(Wait.forSuccessfulCommand('redis-server --version'))
    .start();
  const free = [...ports];
  return {
    description: `Testcontainers (${image})`,
    bind: '0.0.0.0',
    shell: async (script) => {
      const { exitCode, output } = await started.exec(['sh', '-c', script]);
      if (exitCode !== 0) throw new Error(`Exit code ${exitCode} of: ${script}\n${output}`);
      return output;
    },
    port: async () => {
      const port = free.shift();
      if (port === undefined) throw new Error('All ports of the Redis container are taken');
      free.push(port);
      return port;
    },
    stop: async () => void (await started.stop()),
  };
}
