import { expect } from 'chai';
import { grants, workerRights } from '../../../../../src/adapters/dashboard/mysql/checks/rights.js';
import { MYSQL_MAPPING } from '../../../../support/dashboards/mysql-dashboard.js';

describe('The rights that the worker needs in MariaDB', () => {
  it('cover the captured tables, those in which a key is looked up, and those that the selects name', () => {
    const captures = [
      { table: 'users', touches: { blogs: 'select id from posts where author = changed.id' } },
      { table: 'sites', touches: 'everything' as const },
    ];
    const selects = {
      ...MYSQL_MAPPING.selects,
      blogs: 'with w as (select * from live) select * from w, dual',
    };
    const rights = workerRights({ ...MYSQL_MAPPING, selects, captures });
    for (const table of ['users', 'posts', 'sites', 'live']) expect(rights[table]).to.eql(['select']);
    expect(rights).not.to.have.any.keys('w', 'dual');
  });

  it('are granted on quoted names', () => {
    const granted = grants({ 'a`b': ['select', 'delete'], do: ['execute'] }, 'my-news', '`w`@`%`');
    expect(granted).to.eql([
      'grant select, delete on `my-news`.`a``b` to `w`@`%`',
      'grant execute on procedure `my-news`.`do` to `w`@`%`',
    ]);
  });
});
