import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { shortened } from '../../../domain/policies/row-limits.js';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  presentSelects,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { unusedColumns } from '../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../mapping/mapping-findings.js';
import {
  LINKS_TO,
  SOURCE_OF,
  type SourceDialect,
  type SourceTables,
  type Stored,
  TERM_KINDS,
} from './source-dialect.js';
import { rowsStatement, sizesStatement } from './source-statements.js';

const KINDS = Object.keys(SOURCE_OF) as RowKind[];
const SHOWN_IDS = 3;
const MAX_STATUSES = 10;

/** What returns another value each time, on one engine or the other. */
const CLOCK_FUNCTIONS =
  'now|(?:statement|transaction|clock)_timestamp|timeofday|random|rand|gen_random_uuid|uuid(?:_short)?|cur(?:date|time)|sysdate|unix_timestamp(?=\\s*\\(\\s*\\))';
const CLOCK_WORDS = 'current_(?:date|time|timestamp)|localtime(?:stamp)?|utc_(?:date|time|timestamp)';
const CLOCK = new RegExp(`(?<![\\w$.])(?:(?:${CLOCK_FUNCTIONS})\\s*\\(|(?:${CLOCK_WORDS})\\b)`, 'g');

/** A table that a select reads, and its capture; null: it has none. */
interface ReadTable {
  readonly table: string;
  readonly capture: CapturedTable | null;
}

/** Tries every select and key before anything is created, save what depends on a wrong part. */
export abstract class MappingCheck<Column extends { readonly name: string }> {
  /** The columns of the selects that the server accepts. */
  protected readonly columnsOf: Partial<Record<SourceName, readonly Column[]>> = {};
  readonly #errors: string[] = [];
  readonly #warnings = new Set<string>();

  constructor(
    protected readonly database: Knex,
    protected readonly mapping: DashboardMapping,
    protected readonly dialect: SourceDialect<SourceTables, Column>,
  ) {}

  /** Whatever it runs changes nothing. */
  protected abstract attempt<Result>(run: (database: Knex) => Promise<Result>): Promise<Result>;
  protected abstract hasTimeZone(zone: string): Promise<boolean>;
  /** Why a captured table cannot be captured; null: it can. */
  protected abstract tableProblem(captured: CapturedTable): Promise<string | null>;
  /** Tries a key on the rows of its table. Returns why it does not fit the ids; null: it does. */
  protected abstract keyProblem(captured: CapturedTable, kind: CapturedKind): Promise<string | null>;
  protected abstract tablesReadBy(select: string): Promise<readonly ReadTable[]>;
  /** Why the server refused something. Throws errors of the moment. */
  protected abstract refusalIn(error: unknown): string;
  /** The condition that `key_hash` is not 64 lower-case hex digits. */
  protected abstract readonly isNoHash: string;
  /** Texts, quoted names and comments of a select. */
  protected abstract readonly noCode: RegExp;

  /** A number may arrive as text. */
  protected query(statement: string): Promise<readonly Stored[]> {
    return this.attempt((database) => this.dialect.query(database, statement));
  }

  async findings(): Promise<MappingFindings> {
    const { timeZone, captures } = this.mapping;
    if (timeZone !== null && !(await this.hasTimeZone(timeZone)))
      this.#errors.push(FINDINGS.unknownZone(timeZone));
    for (const { name, select } of presentSelects(this.mapping))
      await this.#unlessRefused(
        () => this.#checkColumns(name, select),
        (reason) => FINDINGS.selectFails(name, reason),
      );
    for (const captured of captures) await this.#checkCapture(captured);
    if (this.#errors.length === 0) {
      await this.#checkJoins();
      await this.#unlessRefused(() => this.#checkRows(), FINDINGS.selectsFail);
    }
    return { errors: [...new Set(this.#errors)], warnings: [...this.#warnings] };
  }

  async #unlessRefused(check: () => Promise<void>, finding: (reason: string) => string): Promise<void> {
    try {
      await check();
    } catch (error) {
      this.#errors.push(finding(this.refusalIn(error)));
    }
  }

  async #checkColumns(source: SourceName, select: string): Promise<void> {
    const columns = await this.attempt((database) => this.dialect.describe(database, select));
    this.columnsOf[source] = columns;
    const names = columns.map(({ name }) => name);
    this.#errors.push(...this.dialect.problemsIn(source, columns));
    for (const warning of unusedColumns(source, names)) this.#warnings.add(warning);
  }

  /** Whether a captured table exists, and its keys can be found. */
  async #checkCapture(captured: CapturedTable): Promise<void> {
    const { table, touches } = captured;
    const problem = await this.tableProblem(captured);
    if (problem !== null) return void this.#errors.push(problem);
    for (const kind of touches === 'everything' ? [] : (Object.keys(touches) as CapturedKind[])) {
      await this.#unlessRefused(
        async () => {
          const reason = await this.keyProblem(captured, kind);
          if (reason !== null) this.#errors.push(`captures.${table}.${kind}: ${reason}`);
        },
        (reason) => FINDINGS.keyFails(table, kind, reason),
      );
    }
  }

  /** Selects that fail in the statements of the worker. */
  async #checkJoins(): Promise<void> {
    const tables = this.dialect.tablesOf(this.columnsOf);
    for (const kind of KINDS) {
      const statements = [
        sizesStatement(tables, kind).sql('false'),
        rowsStatement(tables, kind).sql('false'),
        ...(kind === 'blogs' ? joinsOfLinks(tables) : []),
      ];
      await this.#unlessRefused(
        async () => {
          for (const statement of statements) await this.query(statement);
        },
        (reason) => FINDINGS.joinFails(SOURCE_OF[kind], reason),
      );
    }
  }

  /** What the selects read, and what the rows hold now. */
  async #checkRows(): Promise<void> {
    const { blogs, api_keys } = this.mapping.selects;
    for (const { name, select } of presentSelects(this.mapping)) {
      await this.#checkReads(name, select);
      if (!name.startsWith('blog_')) await this.#checkIds(name, select);
    }
    if (blogs !== null) await this.#checkStatuses(blogs);
    if (api_keys !== null) await this.#checkHashes(api_keys);
  }

  /** Tables whose changes are not captured, or not for this select; and the clock. */
  async #checkReads(source: SourceName, select: string): Promise<void> {
    for (const { table, capture } of await this.tablesReadBy(select)) {
      const uncaptured = capture === null ? null : uncapturedChanges(source, capture);
      if (capture === null) this.#errors.push(FINDINGS.uncapturedTable(source, table));
      if (uncaptured !== null) this.#warnings.add(uncaptured);
    }
    // As far as the text of the select shows.
    const names = select.replaceAll(this.noCode, ' ').toLowerCase().match(CLOCK) ?? [];
    for (const name of names)
      this.#errors.push(FINDINGS.changesByItself(source, name.replace(/\s*\($/, '()')));
  }

  /** Ids that are null or not unique. Reads all ids. */
  async #checkIds(source: SourceName, select: string): Promise<void> {
    const rows = await this.query(
      `select min(${this.dialect.tablesOf(this.columnsOf).text('mapped.id')}) as id, count(*) as many from (\n${select}\n) as mapped
       group by mapped.id having count(*) > 1 or mapped.id is null
       order by case when mapped.id is null then 0 else 1 end, mapped.id limit ${SHOWN_IDS}`,
    );
    for (const { id, many } of rows) {
      this.#errors.push(
        id === null
          ? FINDINGS.idIsNull(source, Number(many))
          : FINDINGS.severalRows(source, String(id), Number(many)),
      );
    }
  }

  /** Statuses that their type allows, and with which the API shows nothing. */
  async #checkStatuses(select: string): Promise<void> {
    const rows = await this.query(
      `select status, count(*) as many from (\n${select}\n) as mapped group by status order by 2 desc`,
    );
    if (rows.length === 0 || rows.some(({ status }) => status === SHOWN_STATUS)) return;
    const statuses = rows.slice(0, MAX_STATUSES).map(({ status, many }) => `${wordOf(status)} in ${many}`);
    if (rows.length > MAX_STATUSES) statuses.push('…');
    this.#warnings.add(FINDINGS.nothingPublished(statuses));
  }

  async #checkHashes(select: string): Promise<void> {
    const mapped = `(\n${select}\n) as mapped`;
    const [row] = await this.query(`select count(*) as wrong from ${mapped} where ${this.isNoHash}`);
    if (Number(row?.wrong) > 0) this.#warnings.add(FINDINGS.noHash(Number(row?.wrong)));
    const [twice] = await this.query(
      `select min(id) as one, max(id) as other, count(*) as many from ${mapped} where not ${this.isNoHash} group by key_hash having count(*) > 1 order by 1 limit 1`,
    );
    if (twice === undefined) return;
    const [one, other] = [shortened(String(twice.one)), shortened(String(twice.other))];
    this.#warnings.add(FINDINGS.sameHash(Number(twice.many), one, other));
  }
}

function joinsOfLinks(tables: SourceTables): readonly string[] {
  return TERM_KINDS.map((kind) => {
    const { source, column } = LINKS_TO[kind];
    return `select term.id from ${tables.table(source, 'link')} join ${tables.table('blogs', 'mapped')} on mapped.id = link.blog_id
      join ${tables.table(kind, 'term')} on term.id = link.${column} where false`;
  });
}

function wordOf(status: unknown): string {
  return status === null ? 'null' : `'${shortened(String(status))}'`;
}
