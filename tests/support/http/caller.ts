import type { OutgoingHttpHeaders } from 'node:http';
import { websiteOf } from '../../../src/contracts/support/rows.js';
import type { ApiUnderTest } from './api-under-test.js';
import { type ReceivedAnswer, sendRequest } from './send-request.js';

let callers = 0;

/** A caller with a valid key of an organization: by default, of a new one. */
export class Caller {
  private constructor(
    private readonly api: ApiUnderTest,
    readonly organizationId: string,
    readonly key: string,
  ) {}

  static async of(api: ApiUnderTest, organizationId?: string): Promise<Caller> {
    callers += 1;
    const caller = new Caller(api, organizationId ?? `org_${callers}`, `secret-key-of-caller-${callers}`);
    await api.putKey(caller.key, caller.organizationId);
    return caller;
  }

  /** The default website of its content. */
  get websiteId(): string {
    return websiteOf(this.organizationId);
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<ReceivedAnswer> {
    return this.send('GET', path, headers);
  }

  send(method: string, path: string, headers: OutgoingHttpHeaders = {}): Promise<ReceivedAnswer> {
    return sendRequest(this.api.address, path, { 'X-API-Key': this.key, ...headers }, method);
  }
}
