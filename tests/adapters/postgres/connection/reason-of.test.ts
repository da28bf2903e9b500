import { expect } from 'chai';
import { reasonOf } from '../../../../src/adapters/postgres/connection/is-outage.js';

const failed = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('reasonOf', () => {
  it('has the SQLSTATE and the cause, without the statement', () => {
    const statement = `\n  update content_read.sync_leader\n  set beat_at = now() - :limit - interval '1 s'`;
    expect(reasonOf(failed(`${statement} - canceling statement due to lock timeout`, '55P03'))).to.equal(
      '55P03: canceling statement due to lock timeout',
    );
    expect(reasonOf(failed(`select "hash" from "api_keys" - Connection terminated`))).to.equal(
      'Connection terminated',
    );
  });

  it('has other messages as they are, and a code only once', () => {
    expect(reasonOf(failed('the store is full - delete something'))).to.equal(
      'the store is full - delete something',
    );
    expect(reasonOf(failed('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED'))).to.equal(
      'connect ECONNREFUSED ::1:5432',
    );
    expect(reasonOf('a text')).to.equal('a text');
  });

  it('has the reason of each address that was tried', () => {
    const errors = [failed('connect ECONNREFUSED ::1:5432'), failed('connect ECONNREFUSED 127.0.0.1:5432')];
    expect(reasonOf(new AggregateError(errors))).to.equal(
      'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
    );
  });
});
