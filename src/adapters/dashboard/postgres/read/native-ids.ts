/** Types that an id may have: its text is the same everywhere, and PostgreSQL's own index finds it. */
interface IdType {
  /** Types of one family can be compared by an index. */
  readonly family: 'text' | 'number' | 'uuid';
  /** Whether a text is what PostgreSQL writes for a value of this type. */
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

/** The ids that a column of this type can hold. The read tables may have others from another mapping; no row has those. */
export function writtenIn(type: string, ids: readonly string[]): readonly string[] {
  const { isWritten } = ID_TYPES[type] ?? TEXT;
  return ids.filter(isWritten);
}
