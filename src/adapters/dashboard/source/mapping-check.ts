import type { Knex } from 'knex';
import { KindFails, SourceTooSlow } from '../../../domain/errors.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import {
  type CapturedTable,
  type DashboardMapping,
  inlined,
  keysOf,
  presentSelects,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { columnProblems, REFERRED } from '../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../mapping/mapping-findings.js';
import type { Engine, MappingQuestions } from './engine.js';
import { SourceReader } from './source-reader.js';
import { TableLocked } from './table-locked.js';
import { Trial } from './trial.js';

/** What returns another value each time, on one engine or the other. */
const CLOCK_FUNCTIONS =
  'now|(?:statement|transaction|clock)_timestamp|timeofday|random|rand|gen_random_uuid|uuid(?:_short)?|cur(?:date|time)|sysdate|unix_timestamp(?=\\s*\\(\\s*\\))';
const CLOCK_WORDS = 'current_(?:date|time|timestamp)|localtime(?:stamp)?|utc_(?:date|time|timestamp)';
const CLOCK = new RegExp(`(?<![\\w$.])(?:(?:${CLOCK_FUNCTIONS})\\s*\\(|(?:${CLOCK_WORDS})\\b)`, 'g');

/** On PostgreSQL, texts that become the time at which they are converted. */
const TIMES = `'(?:now|today|tomorrow|yesterday)'`;
const TIME_TYPES = '(?:timestamp(?:tz)?|date|time(?:tz)?)\\b';
const CLOCK_TEXT = new RegExp(
  `\\b${TIME_TYPES}\\s*${TIMES}|${TIMES}\\s*::\\s*${TIME_TYPES}|\\bcast\\s*\\(\\s*${TIMES}`,
  'g',
);

/** Texts, quoted names and comments of a select. */
const NO_CODE = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** What is wrong with a mapping in this database. Changes nothing. */
export async function checkMapping(
  database: Knex,
  mapping: DashboardMapping,
  engine: Engine,
): Promise<MappingFindings> {
  const trial = new Trial(database, mapping, engine.client.query);
  const reader = new SourceReader(mapping, engine);
  return new MappingCheck(trial, engine, await engine.checks.questionsOf(trial), reader).findings();
}

/** Tries every select and key before anything is created, save what depends on a wrong part. */
class MappingCheck {
  readonly #errors: string[] = [];
  readonly #warnings = new Set<string>();

  constructor(
    private readonly trial: Trial,
    private readonly engine: Engine,
    private readonly questions: MappingQuestions,
    private readonly reader: SourceReader,
  ) {}

  async findings(): Promise<MappingFindings> {
    for (const { name, select } of presentSelects(this.trial.mapping))
      await this.#unlessRefused(
        () => this.#checkColumns(name, select),
        (reason) => FINDINGS.selectFails(name, reason),
      );
    for (const { name, select } of presentSelects(this.trial.mapping)) this.#checkText(name, select);
    this.#checkReferences();
    for (const captured of this.trial.mapping.captures) await this.#checkCapture(captured);
    if (this.#errors.length === 0)
      await this.#unlessRefused(
        () => this.#checkRows(),
        (reason) => `the selects fail: ${reason}`,
      );
    return { errors: [...new Set(this.#errors)], warnings: [...this.#warnings] };
  }

  async #unlessRefused(check: () => Promise<void>, finding: (reason: string) => string): Promise<void> {
    try {
      await check();
    } catch (error) {
      const reason = finding(this.#refusalIn(error));
      // A missing right says nothing about the mapping.
      if (this.engine.client.means(error, 'denied')) throw new KindFails(reason, { cause: error });
      this.#errors.push(reason);
    }
  }

  /** Why the server refused something. Throws errors of the moment. */
  #refusalIn(error: unknown): string {
    if (this.engine.client.means(error, 'locked')) throw new TableLocked('a table that the mapping reads');
    const reason = error instanceof SourceTooSlow ? error.message : this.reader.rejectionIn(error);
    if (reason === null) throw error;
    return reason;
  }

  async #checkColumns(source: SourceName, select: string): Promise<void> {
    const columns = await this.trial.attempt((database) => this.engine.read.describe(database, select));
    this.trial.columnsOf[source] = columns;
    this.#errors.push(...columnProblems(source, columns, this.trial.mapping.timeZone));
  }

  /** Whether a captured table exists, and its keys can be found. */
  async #checkCapture(captured: CapturedTable): Promise<void> {
    const { table, touches } = captured;
    const problem = await this.questions.tableProblem(captured);
    if (problem !== null) return void this.#errors.push(problem);
    for (const [kind, key] of keysOf(touches)) {
      await this.#unlessRefused(
        async () => {
          const reason = await this.questions.keyProblem(table, kind, key);
          if (reason !== null) this.#errors.push(`captures.${table}.${kind}: ${reason}`);
        },
        (reason) => FINDINGS.keyFails(table, kind, reason),
      );
    }
  }

  /** What the selects read, and what the rows hold now. */
  async #checkRows(): Promise<void> {
    const { api_keys, blogs } = this.trial.mapping.selects;
    for (const { name, select } of presentSelects(this.trial.mapping)) {
      await this.#checkReads(name, select);
      for (const [column, rows] of Object.entries(await this.questions.lossyColumns(name, select)))
        if (rows > 0) this.#warnings.add(FINDINGS.lossyText(name, column, rows));
      if (!name.startsWith('blog_')) await this.#checkIds(name, select);
    }
    if (api_keys !== null) await this.#checkHashes(api_keys);
    if (blogs !== null) await this.#checkPublished(blogs);
  }

  /** Tables whose changes are not captured, or not for this select. */
  async #checkReads(source: SourceName, select: string): Promise<void> {
    for (const { table, capture } of await this.questions.tablesReadBy(select)) {
      const uncaptured = capture === null ? null : uncapturedChanges(source, capture);
      if (capture === null) this.#errors.push(FINDINGS.uncapturedTable(source, table));
      if (uncaptured !== null) this.#warnings.add(uncaptured);
    }
  }

  /** What changes by itself, as far as the text of the select shows. */
  #checkText(source: SourceName, select: string): void {
    const code = select.replaceAll(NO_CODE, ' ').toLowerCase();
    for (const name of [...(code.match(CLOCK) ?? []), ...(select.toLowerCase().match(CLOCK_TEXT) ?? [])])
      this.#errors.push(FINDINGS.changesByItself(source, name.replace(/\s*\($/, '()')));
  }

  /** Ids are compared with the columns that refer to them. */
  #checkReferences(): void {
    for (const [source, columns] of Object.entries(this.trial.columnsOf))
      for (const [column, referred] of Object.entries(REFERRED)) {
        const [reference, id] = [columns[column], this.trial.columnsOf[referred]?.id];
        if (reference?.idFamily && id?.idFamily && reference.idFamily !== id.idFamily)
          this.#errors.push(FINDINGS.otherType(source, column, reference.type, referred, id.type));
      }
  }

  /** Ids that are null or not unique. Reads all ids. */
  async #checkIds(source: SourceName, select: string): Promise<void> {
    const rows = await this.trial.query(
      `select min(${this.engine.read.tablesOf(this.trial.mapping, this.trial.columnsOf).text('mapped.id')}) as id, count(*) as many from ${inlined(select)} as mapped
       group by mapped.id having count(*) > 1 or mapped.id is null
       order by case when mapped.id is null then 0 else 1 end, mapped.id limit 3`,
    );
    for (const { id, many } of rows) this.#errors.push(FINDINGS.notOneRow(source, String(id), Number(many)));
  }

  async #checkPublished(select: string): Promise<void> {
    const columns = ['content_html', 'published_at', 'title', 'slug'];
    const counts = columns.map((column) => `count(*) - count(mapped.${column}) as ${column}`);
    const [row] = await this.trial.query(
      `select count(*) as published, ${counts.join(', ')} from ${inlined(select)} as mapped where mapped.status = '${SHOWN_STATUS}'`,
    );
    for (const column of columns) {
      const rows = Number(row?.[column]);
      if (rows > 0) this.#warnings.add(FINDINGS.nullInPublished(column, rows, Number(row?.published)));
    }
  }

  async #checkHashes(select: string): Promise<void> {
    const mapped = `${inlined(select)} as mapped`;
    const [row] = await this.trial.query(
      `select count(*) as wrong from ${mapped} where ${this.engine.words.isNoHash}`,
    );
    if (Number(row?.wrong) > 0) this.#warnings.add(FINDINGS.noHash(Number(row?.wrong)));
  }
}
