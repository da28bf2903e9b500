/** Types that an id may have, so that it is the same text wherever it goes, and PostgreSQL's own index finds it. */
interface IdType {
  /** Those that can be compared with each other by an index. */
  readonly family: 'text' | 'number' | 'uuid';
  /** Whether a text is what PostgreSQL writes for a value of the type. */
  readonly isWritten: (id: string) => boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WHOLE_NUMBER = /^(0|-?[1-9]\d{0,18})$/;

function wholeNumber(bits: bigint): IdType {
  const limit = 2n ** (bits - 1n);
  return {
    family: 'number',
    isWritten: (id) => WHOLE_NUMBER.test(id) && BigInt(id) >= -limit && BigInt(id) < limit,
  };
}

const TEXT: IdType = { family: 'text', isWritten: () => true };

const ID_TYPES: Readonly<Record<string, IdType>> = {
  text: TEXT,
  'character varying': TEXT,
  uuid: { family: 'uuid', isWritten: (id) => UUID.test(id) },
  smallint: wholeNumber(16n),
  integer: wholeNumber(32n),
  bigint: wholeNumber(64n),
};

export const NAMES_OF_ID_TYPES = Object.keys(ID_TYPES).map((name) =>
  name === 'character varying' ? 'varchar' : name,
);

export function isIdType(type: string): boolean {
  return type in ID_TYPES;
}

export function familyOf(type: string): IdType['family'] | null {
  return ID_TYPES[type]?.family ?? null;
}

/** Those ids that a column of this type can have: no row has the others, which the read tables may have from another mapping. */
export function writtenIn(type: string, ids: readonly string[]): readonly string[] {
  const { isWritten } = ID_TYPES[type] ?? TEXT;
  return ids.filter(isWritten);
}
