import type { RedisMachine } from './redis-machine.js';

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
    private readonly machine: RedisMachine,
    private readonly folder: string,
    readonly port: number,
    private readonly settings: Readonly<Record<string, string | number>>,
    private readonly isSentinel: boolean,
  ) {}

  static async start(
    machine: RedisMachine,
    { settings = {}, prepare = '', tls = false, sentinel = [] }: RedisServerOptions = {},
  ) {
    const folder = (await machine.shell('mktemp -d /tmp/blog-read-api-redis-XXXXXX')).trim();
    const port = await machine.port();
    const ports = tls ? { port: 0, 'tls-port': port } : { port };
    const isSentinel = sentinel.length > 0;
    const server = new RedisServer(machine, folder, port, { ...ports, ...settings }, isSentinel);
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

  /** The process id if Redis runs on this computer. */
  async pid(): Promise<number> {
    return Number(await this.machine.shell(`cat ${this.folder}/pid`));
  }

  /** Ends the server and deletes its data. */
  async stop(): Promise<void> {
    await this.kill();
    await this.machine.shell(`rm -rf ${this.folder}`);
  }

  async #launch(): Promise<void> {
    const settings = {
      bind: this.machine.bind,
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
      for _ in $(seq 30000); do grep -q 'Ready to accept\\|Sentinel ID is' log && [ -s pid ] && exit; sleep 0.02; done
      cat log; exit 1`);
  }

  #signal(name: string): Promise<void> {
    return this.#shell(`kill -${name} $(cat pid)`);
  }

  async #shell(script: string): Promise<void> {
    await this.machine.shell(`cd ${this.folder} && ${script.trim() || 'true'}`);
  }
}
