import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import keySlot from 'cluster-key-slot';

const SLOTS = 16_384;

/** How a node reacts to a tested command. */
export type Conduct = 'answers' | 'hangs up' | 'is silent';

/** Implements as much of Redis as a client of a cluster needs, and records the commands that it receives. */
class FakeNode {
  readonly received: string[][] = [];
  conduct: Conduct = 'answers';
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => {
    this.#sockets.add(socket.on('error', () => {}));
    socket.on('data', (bytes) => {
      for (const command of commandsOf(bytes.toString())) this.#answer(socket, command);
    });
  });

  constructor(
    private readonly slots: () => string,
    /** The slot and the address of a key that belongs to the other node; null for a key of this node. */
    private readonly elsewhere: (key: string) => string | null,
  ) {}

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  disconnectAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.disconnectAll();
  }

  #answer(socket: Socket, command: readonly string[]): void {
    const name = command[0]?.toLowerCase();
    if (name === 'cluster') return void socket.write(this.slots());
    if (name === 'info') return void socket.write(bulk('redis_version:7.0.0\r\nloading:0'));
    if (name === 'hello' || name === 'client') return void socket.write('+OK\r\n');
    const key = name === 'evalsha' ? command[3] : command[1];
    const elsewhere = this.elsewhere(key ?? '');
    if (elsewhere !== null) return void socket.write(`-MOVED ${elsewhere}\r\n`);
    this.received.push([...command]);
    if (this.conduct === 'hangs up') socket.destroy();
    if (this.conduct === 'answers') socket.write(name === 'set' ? '+OK\r\n' : ':1\r\n');
  }
}

/** Two masters, each with half of the slots. */
export class FakeCluster {
  readonly nodes: readonly [FakeNode, FakeNode] = [
    new FakeNode(
      () => this.#slots(),
      (key) => this.#elsewhere(0, key),
    ),
    new FakeNode(
      () => this.#slots(),
      (key) => this.#elsewhere(1, key),
    ),
  ];

  static async start(): Promise<FakeCluster> {
    const cluster = new FakeCluster();
    await Promise.all(cluster.nodes.map((node) => node.start()));
    return cluster;
  }

  get urls(): string[] {
    return this.nodes.map(({ port }) => `redis://127.0.0.1:${port}`);
  }

  stop(): void {
    for (const node of this.nodes) node.stop();
  }

  #elsewhere(node: 0 | 1, key: string): string | null {
    const slot = keySlot(key);
    const owner = slot < SLOTS / 2 ? 0 : 1;
    return owner === node ? null : `${slot} 127.0.0.1:${this.nodes[owner].port}`;
  }

  #slots(): string {
    const half = SLOTS / 2;
    const ranges = this.nodes.map(
      ({ port }, at) =>
        `*3\r\n:${at * half}\r\n:${(at + 1) * half - 1}\r\n*3\r\n${bulk('127.0.0.1')}:${port}\r\n${bulk(`node-${at}`)}`,
    );
    return `*${ranges.length}\r\n${ranges.join('')}`;
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

/** Expects complete commands: the few bytes of a test are never split into chunks. */
function commandsOf(text: string): readonly string[][] {
  const words = text.split('\r\n');
  const commands: string[][] = [];
  for (let at = 0; words[at]?.startsWith('*'); ) {
    const count = Number(words[at]?.slice(1));
    commands.push(Array.from({ length: count }, (_, n) => words[at + 2 + 2 * n] ?? ''));
    at += 1 + 2 * count;
  }
  return commands;
}
