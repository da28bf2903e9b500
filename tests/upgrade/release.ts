import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { exists } from '../support/exists.js';
import { RunningProcess } from '../support/programs/running-process.js';

const run = promisify(execFile);

/** The release from which is upgraded: always the previous one. A clone may lack tags, so the commit is here. */
const PREVIOUS = { version: '1.0.0', commit: '277af24cedd528ccb6d4ccb803b77724e000307e' };
const CACHE = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'blog-read-api',
  'releases',
  PREVIOUS.commit,
);
/**
 * Additional migrations that represent those of a later release: a table with a new column, and an index that is
 * created concurrently.
 */
const REHEARSAL = {
  '9001_rehearsal.sql': 'alter table content_read.blogs add column rehearsal integer;\n',
  '9002_rehearsal.concurrently.sql':
    'drop index concurrently if exists content_read.blogs_rehearsal;\n' +
    'create index concurrently blogs_rehearsal on content_read.blogs (organization_id, word_count);\n',
};

/** A release with its programs and migrations in a folder. */
export class Release {
  private constructor(
    readonly name: string,
    private readonly folder: string,
  ) {}

  /**
   * Null if this is not a clone with its history. The release is built once, with the packages of its own lock file.
   */
  static async previous(): Promise<Release | null> {
    const release = new Release(PREVIOUS.version, CACHE);
    if (await exists(CACHE)) return release;
    const { commit } = PREVIOUS;
    const isHere = await run('git', ['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      () => false,
    );
    if (!isHere) return null;
    const building = `${CACHE}.${process.pid}`;
    await mkdir(building, { recursive: true });
    try {
      await run('sh', ['-c', `git archive ${commit} | tar -x -C "$1"`, 'sh', building]);
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: building });
      await run('npm', ['run', 'build'], { cwd: building });
      await rename(building, CACHE);
    } finally {
      await rm(building, { recursive: true, force: true });
    }
    return release;
  }

  /** The build in this folder, with the migrations of the rehearsal. */
  static async present(): Promise<Release> {
    const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-release-'));
    for (const part of ['dist', 'db', 'package.json'])
      await cp(part, join(folder, part), { recursive: true });
    await symlink(resolve('node_modules'), join(folder, 'node_modules'));
    for (const [file, sql] of Object.entries(REHEARSAL)) {
      await writeFile(join(folder, 'db', 'read', file), sql);
    }
    return new Release('this version', folder);
  }

  start(command: string, environment: Readonly<Record<string, string>>): RunningProcess {
    const words = [join(this.folder, 'dist', 'bin', 'blog-read-api.js'), ...command.split(' ')];
    return new RunningProcess(
      process.execPath,
      words,
      { PATH: process.env.PATH, ...environment },
      this.folder,
    );
  }

  async run(command: string, environment: Readonly<Record<string, string>>): Promise<string> {
    const process = this.start(command, environment);
    const code = await process.exitCode();
    if (code !== 0) throw new Error(`${command} of ${this.name} ended with ${code}:\n${process.output}`);
    return process.output;
  }

  /** Only for `present`: the previous release is kept. */
  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
