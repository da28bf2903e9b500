import { expect } from 'chai';
import { separateStatement } from '../../../src/adapters/sql/open-knex.js';

describe('separateStatement', () => {
  it('leaves the cause as the message, and cuts the statement', () => {
    const statement = `select ' - ' as a, '${'x'.repeat(500)}'`;
    const error = new Error(`${statement} - canceling statement - due to lock timeout`);
    separateStatement(error, statement);
    expect(error.message).to.equal('canceling statement - due to lock timeout');
    expect(error).to.have.property('statement', statement.slice(0, 300));
  });

  it('leaves other messages as they are', () => {
    const error = new Error('Connection terminated - by the server');
    separateStatement(error, 'select 1');
    expect(error.message).to.equal('Connection terminated - by the server');
    expect(error).not.to.have.property('statement');
  });
});
