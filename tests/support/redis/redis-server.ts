import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/** No system uses these ports for outgoing connections, so a restarted server finds its port free. */
const NOT_FOR_CLIENTS = [10_000, 32_000] as const;
const given = new Set<number>();

export interface RedisServerOptions {
  /** Settings of redis.conf. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Shell commands that create the files that the settings name. They run in the server's folder. */
  readonly prepare?: string;
  /** The port accepts only TLS. */
  readonly tls?: boolean;
  /** What a sentinel monitors, as lines of its configuration. If this is set, the server is a sentinel. */
  readonly sentinel?: readonly string[];
}

/** Options of several servers that belong together. */
export interface ServersOfOneKind {
  readonly servers?: Pick<RedisServerOptions, 'settings' | 'prepare' | 'tls'>;
  /** Options of the connections of the tests themselves. */
  readonly connection?: object;
}

/** A Redis of one test. It has the same port at every start. */
export class RedisServer {
  private constructor(
    private readonly folder: string,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string | number>>,
    private readonly isSentinel: boolean,
  ) {}

  static async start({
    settings = {},
    prepare = '',
    tls = false,
    sentinel = [],
  }: RedisServerOptions = {}): Promise<RedisServer> {
    const folder = (await shell('mktemp -d /tmp/blog-read-api-redis-XXXXXX')).trim();
    const port = await redisPort();
    const ports = tls ? { port: 0, 'tls-port': port } : { port };
    const isSentinel = sentinel.length > 0;
    const server = new RedisServer(folder, port, { ...ports, ...settings }, isSentinel);
    await server.#shell(prepare);
    if (isSentinel) await server.#shell(`printf '%s\\n' '${sentinel.join("' '")}' > sentinel.conf`);
    await server.#launch();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** The server keeps its connections, accepts new ones and answers none. */
  pause(): Promise<void> {
    return this.#signal('STOP');
  }

  resume(): Promise<void> {
    return this.#signal('CONT');
  }

  /** Kills the server: connections are refused from now on. Has no effect on a killed server. */
  async kill(): Promise<void> {
    await this.#shell('kill -KILL $(cat pid) 2>/dev/null || true');
    // If no process waits for them, ended processes remain as zombies, which hold no port.
    const lives = 'kill -0 $pid 2>/dev/null && ! grep -q ") Z" /proc/$pid/stat 2>/dev/null';
    await this.#shell(`pid=$(cat pid); while ${lives}; do sleep 0.01; done`);
  }

  async startEmpty(): Promise<void> {
    await this.#shell('rm -f dump.rdb');
    await this.#launch();
  }

  /** Saves what the server has in memory now, for `startWithKeptData`. */
  async keepData(): Promise<void> {
    await this.#shell(`redis-cli -p ${this.port} save && cp dump.rdb kept.rdb`);
  }

  async startWithKeptData(): Promise<void> {
    await this.#shell('cp kept.rdb dump.rdb');
    await this.#launch();
  }

  async pid(): Promise<number> {
    return Number(await shell(`cat ${this.folder}/pid`));
  }

  /** Ends the server and deletes its data. */
  async stop(): Promise<void> {
    await this.kill();
    await shell(`rm -rf ${this.folder}`);
  }

  async #launch(): Promise<void> {
    const settings = {
      bind: '127.0.0.1',
      'protected-mode': 'no',
      save: '',
      daemonize: 'yes',
      pidfile: `${this.folder}/pid`,
      logfile: `${this.folder}/log`,
      dir: this.folder,
      ...this.settings,
    };
    const args = Object.entries(settings).map(([name, value]) => `--${name} '${value}'`);
    // A sentinel writes its state into its configuration file.
    const mode = this.isSentinel ? 'sentinel.conf --sentinel' : '';
    await this.#shell(`rm -f log pid && redis-server ${mode} ${args.join(' ')}
      for _ in $(seq 500); do grep -q 'Ready to accept\\|Sentinel ID is' log && [ -s pid ] && exit; sleep 0.02; done
      cat log; exit 1`);
  }

  #signal(name: string): Promise<void> {
    return this.#shell(`kill -${name} $(cat pid)`);
  }

  async #shell(script: string): Promise<void> {
    await shell(`cd ${this.folder} && ${script.trim() || 'true'}`);
  }
}

/** `redis-server 7.0.15`; null if there is none on the PATH. */
export async function redisVersion(): Promise<string | null> {
  const version = await shell('redis-server --version').catch(() => null);
  return version === null ? null : `redis-server ${/v=(\S+)/.exec(version)?.[1]}`;
}

/** A free port. */
export async function redisPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...NOT_FOR_CLIENTS);
    if (!given.has(port) && (await isFree(port)) && given.add(port)) return port;
  }
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

/** Returns the output. Throws if the script fails. */
async function shell(script: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', script])).stdout;
}
