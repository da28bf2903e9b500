import { expect } from 'chai';
import { Type } from 'typebox';
import { LIST_TAGS, OPERATIONS } from '../../../../src/adapters/http/endpoints/operations.js';
import { answerForm, requestReader } from '../../../../src/adapters/http/request/request-reader.js';

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
    const forms = [content, ...changed].map((each) => answerForm({ path, content: each }));
    expect(new Set(forms).size).to.equal(forms.length);
  });

  it('is part of the canonical request, and therefore of the names of answers and locks', () => {
    const other = { ...LIST_TAGS, content: Type.Object({}) };
    const requests = [LIST_TAGS, other].map((operation) => requestReader(operation)('', '').request);
    expect(requests[0]).to.include(answerForm(LIST_TAGS));
    expect(requests[0]).not.to.equal(requests[1]);
  });
});
