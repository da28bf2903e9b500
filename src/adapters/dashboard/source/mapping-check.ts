import type { Knex } from 'knex';
import { KindFails, SourceTooSlow } from '../../../domain/errors.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  inlined,
  keysOf,
  presentSelects,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { columnProblems, REFERRED, type TypedColumns } from '../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../mapping/mapping-findings.js';
import type { SourceDialect, Stored } from './source-dialect.js';
import { isLocked, TableLocked } from './table-locked.js';

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

/** A table that a select reads, and its capture; null: it has none. */
interface ReadTable {
  readonly table: string;
  readonly capture: CapturedTable | null;
}

/** Tries every select and key before anything is created, save what depends on a wrong part. */
export abstract class MappingCheck {
  /** The columns of the selects that the server accepts. */
  protected readonly columnsOf: Partial<Record<SourceName, TypedColumns>> = {};
  readonly #errors: string[] = [];
  readonly #warnings = new Set<string>();

  constructor(
    protected readonly database: Knex,
    protected readonly mapping: DashboardMapping,
    protected readonly dialect: SourceDialect,
  ) {}

  /** Why a captured table cannot be captured; null: it can. */
  protected abstract tableProblem(captured: CapturedTable): Promise<string | null>;
  /** Tries a key on the rows of its table. Returns why it does not fit the ids; null: it does. */
  protected abstract keyProblem(table: string, kind: CapturedKind, key: string): Promise<string | null>;
  protected abstract tablesReadBy(select: string): Promise<readonly ReadTable[]>;
  /** Columns whose text a select converts, with how many rows lose characters. */
  protected abstract lossyColumns(
    source: SourceName,
    select: string,
  ): Promise<Readonly<Record<string, number>>>;
  /** The condition that `key_hash` is not 64 lower-case hex digits. */
  protected abstract readonly isNoHash: string;

  /** Changes nothing, although the SQL of a mapping may call functions that write. */
  protected attempt<Result>(run: (database: Knex) => Promise<Result>): Promise<Result> {
    return this.database.transaction(run, { readOnly: true });
  }

  /** A number may arrive as text. */
  protected query(statement: string): Promise<readonly Stored[]> {
    return this.attempt((database) => this.dialect.query(database, statement));
  }

  async findings(): Promise<MappingFindings> {
    for (const { name, select } of presentSelects(this.mapping))
      await this.#unlessRefused(
        () => this.#checkColumns(name, select),
        (reason) => FINDINGS.selectFails(name, reason),
      );
    for (const { name, select } of presentSelects(this.mapping)) this.#checkText(name, select);
    this.#checkReferences();
    for (const captured of this.mapping.captures) await this.#checkCapture(captured);
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
      if (this.dialect.isDenied(error)) throw new KindFails(reason, { cause: error });
      this.#errors.push(reason);
    }
  }

  /** Why the server refused something. Throws errors of the moment. */
  #refusalIn(error: unknown): string {
    if (isLocked(error)) throw new TableLocked('a table that the mapping reads');
    const reason = error instanceof SourceTooSlow ? error.message : this.dialect.rejectionIn(error);
    if (reason === null) throw error;
    return reason;
  }

  async #checkColumns(source: SourceName, select: string): Promise<void> {
    const columns = await this.attempt((database) => this.dialect.describe(database, select));
    this.columnsOf[source] = columns;
    this.#errors.push(...columnProblems(source, columns, this.mapping.timeZone));
  }

  /** Whether a captured table exists, and its keys can be found. */
  async #checkCapture(captured: CapturedTable): Promise<void> {
    const { table, touches } = captured;
    const problem = await this.tableProblem(captured);
    if (problem !== null) return void this.#errors.push(problem);
    for (const [kind, key] of keysOf(touches)) {
      await this.#unlessRefused(
        async () => {
          const reason = await this.keyProblem(table, kind, key);
          if (reason !== null) this.#errors.push(`captures.${table}.${kind}: ${reason}`);
        },
        (reason) => FINDINGS.keyFails(table, kind, reason),
      );
    }
  }

  /** What the selects read, and what the rows hold now. */
  async #checkRows(): Promise<void> {
    const { api_keys, blogs } = this.mapping.selects;
    for (const { name, select } of presentSelects(this.mapping)) {
      await this.#checkReads(name, select);
      for (const [column, rows] of Object.entries(await this.lossyColumns(name, select)))
        if (rows > 0) this.#warnings.add(FINDINGS.lossyText(name, column, rows));
      if (!name.startsWith('blog_')) await this.#checkIds(name, select);
    }
    if (api_keys !== null) await this.#checkHashes(api_keys);
    if (blogs !== null) await this.#checkPublished(blogs);
  }

  /** Tables whose changes are not captured, or not for this select. */
  async #checkReads(source: SourceName, select: string): Promise<void> {
    for (const { table, capture } of await this.tablesReadBy(select)) {
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
    for (const [source, columns] of Object.entries(this.columnsOf))
      for (const [column, referred] of Object.entries(REFERRED)) {
        const [reference, id] = [columns[column], this.columnsOf[referred]?.id];
        if (reference?.idFamily && id?.idFamily && reference.idFamily !== id.idFamily)
          this.#errors.push(FINDINGS.otherType(source, column, reference.type, referred, id.type));
      }
  }

  /** Ids that are null or not unique. Reads all ids. */
  async #checkIds(source: SourceName, select: string): Promise<void> {
    const rows = await this.query(
      `select min(${this.dialect.tablesOf(this.columnsOf).text('mapped.id')}) as id, count(*) as many from ${inlined(select)} as mapped
       group by mapped.id having count(*) > 1 or mapped.id is null
       order by case when mapped.id is null then 0 else 1 end, mapped.id limit 3`,
    );
    for (const { id, many } of rows) this.#errors.push(FINDINGS.notOneRow(source, String(id), Number(many)));
  }

  async #checkPublished(select: string): Promise<void> {
    const columns = ['content_html', 'published_at', 'title', 'slug'];
    const counts = columns.map((column) => `count(*) - count(mapped.${column}) as ${column}`);
    const [row] = await this.query(
      `select count(*) as published, ${counts.join(', ')} from ${inlined(select)} as mapped where mapped.status = '${SHOWN_STATUS}'`,
    );
    for (const column of columns) {
      const rows = Number(row?.[column]);
      if (rows > 0) this.#warnings.add(FINDINGS.nullInPublished(column, rows, Number(row?.published)));
    }
  }

  async #checkHashes(select: string): Promise<void> {
    const mapped = `${inlined(select)} as mapped`;
    const [row] = await this.query(`select count(*) as wrong from ${mapped} where ${this.isNoHash}`);
    if (Number(row?.wrong) > 0) this.#warnings.add(FINDINGS.noHash(Number(row?.wrong)));
  }
}
