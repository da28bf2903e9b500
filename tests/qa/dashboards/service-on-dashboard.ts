import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { sendRequest } from '../../support/http/send-request.js';
import { RunningProgram, runProgram } from '../../support/programs/program.js';
import { addressOf, leads } from '../../support/programs/running-programs.js';

interface ServedDashboard {
  /** The mapping file that the team would write. */
  readonly mapping: string;
  readonly readDatabaseUrl: string;
  /** URLs of roles with the rights that the guide lists for `migrate` and for the worker. */
  readonly migrationUrl: string;
  readonly workerUrl: string;
}

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** What consumers see of one blog, and of categories and tags. */
export interface Answers {
  /** Null if the API does not show it. */
  readonly blog: Item | null;
  readonly bySlug: Item | null;
  readonly inList: Item | null;
  readonly categories: readonly Item[];
  readonly tags: readonly Item[];
}

/** The programs as a team runs them on its dashboard, and a consumer with a key. */
export class ServiceOnDashboard {
  readonly #running: RunningProgram[] = [];
  #address = '';
  #key = '';

  constructor(
    private readonly dashboard: ServedDashboard,
    private readonly websiteId: string,
  ) {}

  async start(): Promise<void> {
    const { workerUrl, readDatabaseUrl } = this.dashboard;
    await leads(this.#start(['sync'], this.#environment(workerUrl)));
    const settings = { READ_DATABASE_URL: readDatabaseUrl, PORT: '0', HOST: '127.0.0.1' };
    this.#address = await addressOf(this.#start(['api'], { ...settings, RATE_LIMIT_MAX: '100000' }));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((program) => program.end('SIGKILL')));
  }

  /** What its programs have logged. */
  get log(): string {
    return this.#running.map(({ output }) => output).join('');
  }

  /** Runs a command that has to succeed, with the rights of `migrate`. */
  run(...args: readonly string[]): Promise<string> {
    return this.#run(args, this.dashboard.migrationUrl);
  }

  /** What `sync -- --status` prints, with the rights of the worker. */
  status(): Promise<string> {
    return this.#run(['sync', '--status'], this.dashboard.workerUrl);
  }

  async useKeyOf(organization: string): Promise<void> {
    const made = await this.run('keys', 'create', '--organization', organization, '--name', 'test', '--json');
    this.#key = JSON.parse(made).key;
  }

  /** Returns the answers of all five endpoints after the edit, as soon as the check accepts them. */
  async shows<Edited extends { readonly id: string; readonly slug: string }>(
    edit: () => Promise<Edited>,
    check: (answers: Answers) => void,
  ): Promise<Edited> {
    const edited = await edit();
    await eventually(async () => check(await this.answers(edited)));
    return edited;
  }

  async answers({ id, slug }: { readonly id: string; readonly slug: string }): Promise<Answers> {
    const website = `website_id=${this.websiteId}`;
    const [blogs, blog, bySlug, categories, tags] = await Promise.all([
      this.get('blogs?limit=100'),
      this.get(`blogs/${id}`),
      this.get(`blogs/slug/${encodeURIComponent(slug)}?${website}`),
      this.get(`categories?${website}`),
      this.get(`tags?${website}`),
    ]);
    const list = blogs.json().data as readonly Item[];
    return {
      blog: blog.status === 404 ? null : blog.json().data,
      bySlug: bySlug.status === 404 ? null : bySlug.json().data,
      inList: list.find((item) => item.id === id) ?? null,
      categories: categories.json().data,
      tags: tags.json().data,
    };
  }

  get(path: string) {
    return sendRequest(this.#address, `/api/v1/${path}`, { 'X-API-Key': this.#key });
  }

  async #run(args: readonly string[], writeDatabaseUrl: string): Promise<string> {
    const { code, output } = await runProgram(args, this.#environment(writeDatabaseUrl));
    expect(code, output).to.equal(0);
    return output;
  }

  #start(args: readonly string[], environment: Record<string, string>): RunningProgram {
    const program = new RunningProgram(args, environment);
    this.#running.push(program);
    return program;
  }

  #environment(writeDatabaseUrl: string): Record<string, string> {
    const { readDatabaseUrl, mapping } = this.dashboard;
    return {
      WRITE_DATABASE_URL: writeDatabaseUrl,
      READ_DATABASE_URL: readDatabaseUrl,
      DASHBOARD_MAPPING: mapping,
    };
  }
}

/** Expects the same in all three places, except that the list lacks the content and the ids of categories and tags. */
export function expectShown({ blog, bySlug, inList }: Answers, fields: Readonly<Record<string, unknown>>) {
  expect(blog).to.deep.include(fields);
  expect(bySlug).to.eql(blog);
  const { contentHtml, categories, tags, ...others } = blog as Item;
  expect(inList).to.deep.include(others);
  const slugsOf = (terms: unknown) => (terms as readonly { slug: string }[]).map(({ slug }) => slug);
  expect(slugsOf(inList?.tags)).to.eql(slugsOf(tags));
  expect(slugsOf(inList?.categories)).to.eql(slugsOf(categories));
  expect(inList).not.to.have.property('contentHtml');
}

export function expectHidden({ blog, bySlug, inList }: Answers): void {
  expect({ blog, bySlug, inList }).to.eql({ blog: null, bySlug: null, inList: null });
}
