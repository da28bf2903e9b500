import { expect } from 'chai';
import { reasonOf } from '../../../src/domain/policies/reason-of.js';

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
