import pg from 'pg';
import { PostgresNode } from './postgres-node.js';
import { TcpProxy } from './tcp-proxy.js';

/** A primary with an asynchronous standby, and the address that leads to whichever is the primary: as managed services have it. */
export class ReplicatedPostgres {
  private constructor(
    readonly address: TcpProxy,
    private primary: PostgresNode,
    private standby: PostgresNode,
  ) {}

  /** `programs`: the folder with those of PostgreSQL. */
  static async start(programs: string): Promise<ReplicatedPostgres> {
    const primary = await PostgresNode.start(programs);
    const standby = await primary.addStandby();
    return new ReplicatedPostgres(await TcpProxy.before(primary.port), primary, standby);
  }

  async createDatabase(name: string): Promise<string> {
    await this.primary.query(`create database ${pg.escapeIdentifier(name)}`);
    return this.address.url(this.primary.url(name));
  }

  /** What is committed from now on is lost with the primary. */
  stopReplicating(): Promise<void> {
    return this.standby.stopReceiving();
  }

  /** The primary dies, the standby takes its place, and the address follows. Then there is no standby. */
  async failOver(): Promise<void> {
    await this.address.cut();
    await this.primary.kill();
    await this.standby.promote();
    this.primary = this.standby;
    this.address.leadTo(this.primary.port);
    await this.address.mend();
  }

  async addStandby(): Promise<void> {
    this.standby = await this.primary.addStandby();
  }

  /** For good. */
  async stop(): Promise<void> {
    await this.address.stop();
    await Promise.all([this.primary.kill(), this.standby.kill()]);
  }
}
