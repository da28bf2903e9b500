import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { apiConfiguration, syncConfiguration } from '../support/programs/valid-configurations.js';
import { configured, SECONDS_TO_FINISH } from './configured.js';

const IMAGE = 'blog-content-read-api';
interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly disable?: boolean };
}

describe('docker-compose.yml', () => {
  let services: Readonly<Record<string, Service>>;
  let ours: readonly Service[];

  const environmentOf = ({ environment = {} }: Service) =>
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
  const service = (name: string) => {
    const found = services[name];
    if (found === undefined) throw new Error(`There is no service ${name}`);
    return found;
  };
  /** The published ports of a service, with the default for each variable. */
  const published = (name: string) =>
    (service(name).ports ?? []).map((port) => port.replace(/\$\{\w+:-(\d+)\}/, '$1'));

  before(async () => {
    ({ services } = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }));
    ours = Object.values(services).filter(({ image }) => image === IMAGE);
  });

  it('runs existing commands, with settings that they read', () => {
    expect(ours).to.have.length(5);
    for (const each of ours) configured(each.command, environmentOf(each));
  });

  it('has a service that waits for the end of each job, which `up --wait` would otherwise report as a failure', () => {
    const awaited = Object.values(services).flatMap(({ depends_on = {} }) =>
      Object.entries(depends_on)
        .filter(([, { condition }]) => condition === 'service_completed_successfully')
        .map(([name]) => name),
    );
    const jobs = Object.entries(services).filter(
      ([, { healthcheck, profiles }]) => healthcheck?.disable === true && profiles === undefined,
    );
    expect(jobs.map(([name]) => name)).to.have.members([...new Set(awaited)]);
  });

  it('gives every container a read-only file system, no capabilities and no way to obtain any', () => {
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries(services)) {
      expect({ name, read_only, cap_drop, security_opt }).to.eql({
        name,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('publishes every port only on loopback, and those of the API with the numbers on which it listens', () => {
    const all = Object.keys(services).flatMap(published);
    expect(all.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).to.eql([]);

    const { port, adminPort } = apiConfiguration(environmentOf(service('api')));
    expect(published('api').map((each) => Number(each.split(':')[2]))).to.eql([port, adminPort]);
  });

  it('gives the programs enough time to stop', () => {
    for (const name of ['api', 'sync']) {
      const drainSeconds = Number(environmentOf(service(name)).DRAIN_SECONDS ?? 0);
      expect(service(name).stop_grace_period, name).to.equal(`${drainSeconds + SECONDS_TO_FINISH}s`);
    }
  });

  it('has Prometheus scrape the operators’ ports, under the job names that the alerts use', async () => {
    const { scrape_configs: jobs } = parse(await readFile('deploy/prometheus.yml', 'utf8'));
    const { api, sync } = {
      api: apiConfiguration(environmentOf(service('api'))),
      sync: syncConfiguration(environmentOf(service('sync'))),
    };
    expect([api.adminHost, sync.adminHost]).to.eql(['0.0.0.0', '0.0.0.0']);
    expect(jobs).to.eql([
      { job_name: 'blog-read-api', static_configs: [{ targets: [`api:${api.adminPort}`] }] },
      { job_name: 'blog-read-api-sync', static_configs: [{ targets: [`sync:${sync.adminPort}`] }] },
    ]);
  });
});
