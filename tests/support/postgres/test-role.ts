import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

/** A role of the test server that may log in and has no other right until it is granted some. */
export class TestRole {
  readonly name = `role_${randomUUID().replaceAll('-', '')}`;

  private constructor(private readonly databases: readonly Knex[]) {}

  /** The databases are those in which the role will own objects or receive rights. */
  static async create(...databases: readonly [Knex, ...Knex[]]): Promise<TestRole> {
    const role = new TestRole(databases);
    await databases[0].raw(`create role ${role.name} login password '${role.name}'`);
    return role;
  }

  /** The URL of the same database for this role. */
  urlOf(database: string): string {
    const url = new URL(database);
    url.username = this.name;
    url.password = this.name;
    return url.href;
  }

  async drop(): Promise<void> {
    for (const database of this.databases) await database.raw(`drop owned by ${this.name}`);
    await this.databases[0]?.raw(`drop role ${this.name}`);
  }
}
