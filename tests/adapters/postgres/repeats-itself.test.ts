import { expect } from 'chai';
import fc from 'fast-check';
import { sharedReadTables } from '../../support/postgres/read-tables.js';

const LETTERS = [
  'a',
  'b',
  'c',
  'e',
  'é',
  '語',
  'q',
  '0',
  '7',
  ' ',
  ',',
  '.',
  ':',
  '-',
  "'",
  '!',
  '?',
  '&',
  '"',
  '#',
  '\u{1F469}',
];

/** Titles of few letters, so that about half of the titles repeat three letters in a row. */
const title = fc
  .subarray(LETTERS, { minLength: 1, maxLength: 9 })
  .chain((letters) => fc.array(fc.constantFrom(...letters), { maxLength: 20 }))
  .map((letters) => letters.join(''));

function isRepetitive(text: string): boolean {
  const letters = [...text];
  const triples = letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''));
  return letters.length > 500 || new Set(triples).size < triples.length;
}

describe('The function repeats_itself', () => {
  const readTables = sharedReadTables();

  const evaluate = async (titles: readonly string[]): Promise<readonly boolean[]> => {
    const { rows } = await readTables().raw(
      'select content_read.repeats_itself(title) as answer from unnest(?::text[]) with ordinality as asked (title, at) order by at',
      [[...titles]],
    );
    return rows.map((row: { answer: boolean }) => row.answer);
  };

  it('reports for any title whether three letters in a row occur twice', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(title, { minLength: 100, maxLength: 200 }), async (titles) => {
        expect(await evaluate(titles)).to.deep.equal(titles.map(isRepetitive));
      }),
      { numRuns: 20 },
    );
  });

  it('reports it for titles as people write them, and reports true for long ones', async () => {
    const titles = [
      '',
      'abc',
      'abca',
      'aaaa',
      'how to be: a guide',
      'the one and the other',
      '10 things, 10 times',
      '10 things_and #11: it’s été',
      '{[(<>)]}!?.,;:+*/=|~ {[(',
      '{[(<>)]}!?.,;:+*/=|~ {[',
      'é'.repeat(501),
    ];
    expect(await evaluate(titles)).to.deep.equal(titles.map(isRepetitive));
  });

  it('uses pg_trgm only, unless a title has many characters that are neither letters nor digits', async () => {
    const slowOnes = await readTables().transaction(async (transaction) => {
      await transaction.raw(`set local track_functions = 'all'`);
      const calls = async (titles: readonly string[]) => {
        await transaction.raw(
          'select content_read.repeats_itself(title) from unnest(?::text[]) as asked (title)',
          [[...titles]],
        );
        const { rows } = await transaction.raw(
          `select coalesce(sum(calls), 0)::int as calls from pg_stat_xact_user_functions where funcname = 'has_three_letters_twice'`,
        );
        return rows[0].calls;
      };
      return [
        await calls([
          '10 tips: how to write, part_2 (of 3)',
          'l’art d’écrire en été: 10 idées',
          'how to be: a guide',
        ]),
        await calls(['{[(<>)]}!?.,;:+*/=|~ {[(']),
      ];
    });

    expect(slowOnes).to.deep.equal([0, 1]);
  });
});
