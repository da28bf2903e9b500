import { setTimeout as pause } from 'node:timers/promises';
import type { RunningProcess } from '../support/programs/running-process.js';
import type { Release } from './release.js';

/** The probe interval of a load balancer. DRAIN_SECONDS is long enough to detect a change on a busy machine. */
const PROBE_EVERY_MS = 200;
const DRAIN_SECONDS = 5;

export interface Member {
  readonly release: string;
  readonly address: string;
  readonly adminAddress: string;
  readonly program: RunningProcess;
  isReady: boolean;
}

/** API programs of several releases, and a load balancer that sends requests only to ready ones. */
export class Fleet {
  #members: readonly Member[] = [];
  #next = 0;
  readonly #stopping = new AbortController();
  readonly #probing: Promise<void>;

  constructor(private readonly environment: Readonly<Record<string, string>>) {
    this.#probing = this.#probe(this.#stopping.signal);
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  async add(release: Release): Promise<void> {
    const program = release.start('api', { ...this.environment, DRAIN_SECONDS: String(DRAIN_SECONDS) });
    const address = await program.printed(/"address":"([^"]+)"/);
    const adminAddress = await program.printed(/"adminAddress":"([^"]+)"/);
    const member = { release: release.name, address, adminAddress, program, isReady: false };
    this.#members = [...this.#members, member];
    while (!member.isReady) await pause(PROBE_EVERY_MS);
  }

  /** Stops them one after the other. */
  async remove(release: Release): Promise<void> {
    for (const member of this.#members.filter((each) => each.release === release.name)) {
      const code = await member.program.end('SIGTERM');
      if (code !== 0) throw new Error(`An API of ${release.name} exited with ${code}`);
      this.#members = this.#members.filter((each) => each !== member);
    }
  }

  /** The next ready member in turn. */
  pick(): Member {
    const ready = this.#members.filter(({ isReady }) => isReady);
    const member = ready[this.#next++ % ready.length];
    if (member === undefined) throw new Error('No API is ready');
    return member;
  }

  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#probing;
    await Promise.all(this.#members.map(({ program }) => program.end('SIGKILL')));
  }

  async #probe(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      await Promise.all(
        this.#members.map(async (member) => {
          const answer = await fetch(`${member.adminAddress}/readyz`).catch(() => null);
          member.isReady = answer?.status === 200;
        }),
      );
      await pause(PROBE_EVERY_MS);
    }
  }
}
