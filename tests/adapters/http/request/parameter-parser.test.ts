import { expect } from 'chai';
import { createSandbox } from 'sinon';
import { ListBlogsQuery } from '../../../../src/adapters/http/endpoints/parameters.js';
import { parameterParser } from '../../../../src/adapters/http/request/parameter-parser.js';

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
  const parse = parameterParser(ListBlogsQuery);
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
