import { expect } from 'chai';
import { createSandbox } from 'sinon';
import { LIST_BLOGS, LIST_TAGS, OPERATIONS } from '../../../../src/adapters/http/endpoints/endpoints.js';
import { Type } from '../../../../src/adapters/http/endpoints/schema.js';
import { answerForm, requestParser } from '../../../../src/adapters/http/request/request-parser.js';

/** As long as the headers that the server accepts. */
const MAX_QUERY_LENGTH = 8_000;

/** Query strings with which a caller may try to keep the processor busy: one part, repeated. */
const PARTS: Readonly<Record<string, (number: number) => string>> = {
  'one unknown name': () => 'a&',
  'unknown names': (number) => `q${number}=1&`,
  'an unknown name in escapes': () => '%61&',
  'unknown names in escapes': (number) => `%61${number}=%61&`,
  'a known name': () => 'tag&',
  'a known name in escapes': () => '%74%61%67=%41&',
  'a known name with values': (number) => `page=${number}&`,
  'plus signs': () => 'tag=+&',
};

describe('The cost of a query string', () => {
  const parseRequest = requestParser(LIST_BLOGS);
  const parse = (queryString: string) => parseRequest('', queryString, {});
  const sandbox = createSandbox();
  afterEach(() => sandbox.restore());

  /** Conversions between bytes and text, and array elements that are iterated or copied. */
  const stepsFor = (queryString: string): number => {
    let steps = 0;
    const counted = <Args extends unknown[], Result>(original: (...args: Args) => Result) =>
      function (this: unknown, ...args: Args): Result {
        steps++;
        return original.apply(this, args);
      };
    const { [Symbol.iterator]: iterate } = Array.prototype;
    sandbox.replace(
      Buffer,
      'from',
      counted(Buffer.from as (...args: unknown[]) => Buffer) as typeof Buffer.from,
    );
    sandbox.replace(TextDecoder.prototype, 'decode', counted(TextDecoder.prototype.decode));
    sandbox.replace(globalThis, 'decodeURIComponent', counted(decodeURIComponent));
    sandbox.replace(Array.prototype, Symbol.iterator, function (this: unknown[]) {
      steps += this.length;
      return iterate.call(this);
    } as typeof iterate);
    try {
      parse(queryString);
    } catch {
      // A refused query string must not cost more.
    } finally {
      sandbox.restore();
    }
    return steps;
  };

  for (const [what, part] of Object.entries(PARTS)) {
    it(`is at most two steps for each parameter: ${what}`, () => {
      let queryString = '';
      let parameters = 0;
      while (queryString.length < MAX_QUERY_LENGTH) queryString += part(parameters++);
      expect(stepsFor(queryString)).to.be.below(2 * parameters + 500);
    });
  }

  it('is bounded in the error message, which quotes the first 100 characters of values, however many there are', () => {
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
