import { expect } from 'chai';
import { reasonOf, separateStatement } from '../../../src/domain/policies/reason-of.js';

const failed = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('reasonOf', () => {
  it('begins with the code of the server, but has a code only once', () => {
    expect(reasonOf(failed('canceling statement due to lock timeout', '55P03'))).to.equal(
      '55P03: canceling statement due to lock timeout',
    );
    expect(reasonOf(failed('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED'))).to.equal(
      'connect ECONNREFUSED ::1:5432',
    );
  });

  it('has other messages as they are', () => {
    expect(reasonOf(failed('the store is full - delete something'))).to.equal(
      'the store is full - delete something',
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

describe('separateStatement', () => {
  it('leaves the cause as the message, and cuts the statement', () => {
    const statement = `select ' - ' as a, '${'x'.repeat(500)}'`;
    const error = failed(`${statement} - canceling statement - due to lock timeout`, '55P03');
    separateStatement(error, statement);
    expect(error.message).to.equal('canceling statement - due to lock timeout');
    expect(error).to.have.property('statement', statement.slice(0, 300));
  });

  it('leaves other messages as they are', () => {
    const error = failed('Connection terminated - by the server');
    separateStatement(error, 'select 1');
    expect(error.message).to.equal('Connection terminated - by the server');
    expect(error).not.to.have.property('statement');
  });
});
