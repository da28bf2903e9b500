import { expect } from 'chai';
import { LIST_BLOGS, LIST_TAGS, OPERATIONS } from '../../../../src/adapters/http/endpoints/endpoints.js';
import { Type } from '../../../../src/adapters/http/endpoints/schema.js';
import { answerForm, requestParser } from '../../../../src/adapters/http/request/request-parser.js';

describe('The refusal of a repeated parameter', () => {
  const parse = (queryString: string) => requestParser(LIST_BLOGS)('', queryString, {});

  it('quotes the first 100 characters of the values, however many there are', () => {
    expect(() => parse('tag=ab&'.repeat(1_000)))
      .to.throw()
      .with.property('details')
      .that.matches(/^tag must be given only once \(got "(ab", "){16}ab",…"\)$/);
    expect(() => parse('tag&'.repeat(1_000)))
      .to.throw()
      .with.property('details')
      .that.matches(/\(got "(", "){25}…"\)$/);
  });
});

describe('The form of answers', () => {
  it('is the same in every process of one version, and differs between operations', () => {
    const forms = OPERATIONS.map(answerForm);
    expect(OPERATIONS.map(answerForm)).to.deep.equal(forms);
    expect(new Set(forms).size).to.equal(OPERATIONS.length);
  });

  it('changes with any change of the schema of the answers', () => {
    const { path, content } = LIST_TAGS;
    const { data, ...others } = content.properties;
    const changed = [
      Type.Object({ data, more: Type.String() }),
      Type.Object({ ...others, data: Type.Optional(data) }),
      Type.Object({ data: Type.Array(Type.String()) }),
    ];
    const forms = [content, ...changed].map((schema) => answerForm({ path, content: schema }));
    expect(new Set(forms).size).to.equal(forms.length);
  });

  it('is part of the canonical request, and therefore of the names of answers and locks', () => {
    const other = { ...LIST_TAGS, content: Type.Object({}) };
    const requests = [LIST_TAGS, other].map((operation) => requestParser(operation)('', '', {}).request);
    expect(requests[0]).to.include(answerForm(LIST_TAGS));
    expect(requests[0]).not.to.equal(requests[1]);
  });
});
