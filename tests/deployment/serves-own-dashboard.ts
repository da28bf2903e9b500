import { expect } from 'chai';
import { eventually } from '../../src/contracts/support/eventually.js';
import { sendRequest } from '../support/http/send-request.js';
import { askOperators } from '../support/programs/ask-operators.js';
import { adminAddressOf } from '../support/programs/running-programs.js';
import { type Container, Containers } from './containers.js';

export interface Deployment {
  readonly migrate: Container;
  readonly sync: Container;
  readonly api: Container;
}

interface OwnDashboard {
  readonly ownerUrl: string;
  readonly mapping: string;
  readonly titles: readonly string[];
  rename(title: string): Promise<unknown>;
}

/** Starts all at once, as in an empty namespace: the programs wait for the job. */
export async function servesOwnDashboard(
  { migrate, sync, api }: Deployment,
  { ownerUrl, mapping, titles, rename }: OwnDashboard,
): Promise<void> {
  const containers = await Containers.create();
  try {
    const [worker, server] = [await containers.start(sync), await containers.start(api)];
    for (const program of [worker, server]) {
      const { status, text } = await askOperators(await adminAddressOf(program), '/readyz');
      expect(status, text).to.equal(503);
    }
    for (const run of ['first', 'second']) {
      const job = await containers.start(migrate);
      expect(await job.exitCode(), `${run} ${job.output}`).to.equal(0);
    }
    await eventually(async () => {
      for (const program of [worker, server]) {
        const { status, text } = await askOperators(await adminAddressOf(program), '/readyz');
        expect(status, text).to.equal(200);
      }
    });
    const keys = await containers.start({
      args: ['keys', 'create', '--organization', 'acme', '--json'],
      environment: { WRITE_DATABASE_URL: ownerUrl, DASHBOARD_MAPPING: '/mapping.yaml' },
      files: new Map([['/mapping.yaml', mapping]]),
    });
    await keys.exitCode();
    const { key } = JSON.parse(keys.output);
    const address = await server.printed(/"address":"([^"]+)"/);
    const shown = async () => {
      const answer = await sendRequest(address, '/api/v1/blogs', { 'X-API-Key': key });
      expect(answer.status, answer.text).to.equal(200);
      return (answer.json().data as { title: string }[]).map(({ title }) => title);
    };
    await eventually(async () => expect(await shown()).to.have.members([...titles]));
    await rename('Renamed');
    await eventually(async () => expect(await shown()).to.include('Renamed'));
  } finally {
    await containers.end();
  }
}
