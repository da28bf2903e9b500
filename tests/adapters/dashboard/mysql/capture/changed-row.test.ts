import { expect } from 'chai';
import {
  columnsIn,
  overChangedRow,
} from '../../../../../src/adapters/dashboard/mysql/capture/changed-row.js';

const COLUMNS = ['id', 'Title', 'left', 'author_id'];
const over = (key: string) => overChangedRow(key, COLUMNS, (column) => `NEW.${column}`);

describe('A key of a mapping, over the changed row,', () => {
  for (const [key, expected] of [
    ['id', 'NEW.id'],
    ['`ID`', 'NEW.id'],
    ["concat('id', title)", "concat('id', NEW.Title)"],
    ["left(id, 3) -- id\n || 'it''s id'", "left(NEW.id, 3) -- id\n || 'it''s id'"],
    ['changed.id + other.id', 'NEW.id + other.id'],
    ['"id"', '"id"'],
    [
      'select id from links where author_id = changed.author_id',
      'select id from links where author_id = NEW.author_id',
    ],
    ['select changed.`id`', 'select NEW.id'],
    [
      "select 'changed.id' from unchanged where x.changed = 1",
      "select 'changed.id' from unchanged where x.changed = 1",
    ],
  ] as const) {
    it(`is ${JSON.stringify(expected)} if it is written ${JSON.stringify(key)}`, () => {
      expect(over(key)).to.equal(expected);
    });
  }

  it('names the columns that it reads', () => {
    expect(columnsIn('concat(id, title, id)', COLUMNS)).to.deep.equal(['id', 'Title']);
    expect(columnsIn('select id from links where a = changed.author_id', COLUMNS)).to.deep.equal([
      'author_id',
    ]);
  });
});
