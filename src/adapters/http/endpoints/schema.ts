/**
 * JSON schemas that carry the type of their values. A package for that takes a tenth of a second to
 * load.
 */

declare const VALUE: unique symbol;
/** JSON does not show it. */
const OPTIONAL = Symbol('optional');

interface Keywords {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  /** Our own: the value is trimmed before it is validated. */
  readonly trim?: boolean;
}

export interface TSchema<Value = unknown> extends Keywords {
  readonly type?: string | readonly string[];
  readonly [VALUE]?: Value;
}

export interface TOptional<Value = unknown> extends TSchema<Value> {
  readonly [OPTIONAL]: true;
}

type Properties = Readonly<Record<string, TSchema>>;

export interface TObject<Members extends Properties = Properties> extends TSchema<ValuesOf<Members>> {
  readonly required?: readonly string[];
  readonly properties: Members;
}

/** The type of the values of a schema. */
export type Static<Schema extends TSchema> = Schema extends TSchema<infer Value> ? Value : never;

type OptionalIn<Members> = {
  [Name in keyof Members]: Members[Name] extends TOptional ? Name : never;
}[keyof Members];
type ValuesOf<Members extends Properties> = {
  [Name in Exclude<keyof Members, OptionalIn<Members>>]: Static<Members[Name]>;
} & { [Name in OptionalIn<Members>]?: Static<Members[Name]> };

export const Type = {
  String: (keywords: Keywords = {}): TSchema<string> => ({ type: 'string', ...keywords }),
  Integer: (keywords: Keywords = {}): TSchema<number> => ({ type: 'integer', ...keywords }),
  TextOrNull: (keywords: Keywords): TSchema<string | null> => ({ type: ['string', 'null'], ...keywords }),
  Enum: (values: readonly string[]): TSchema<string> & { readonly enum: readonly string[] } => ({
    enum: values,
  }),
  Array: <Item extends TSchema>(items: Item): TSchema<Static<Item>[]> & { readonly items: Item } => ({
    type: 'array',
    items,
  }),
  Object: <const Members extends Properties>(properties: Members): TObject<Members> => {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] ?? {})));
    return { type: 'object', ...(required.length > 0 && { required }), properties };
  },
  Optional: <Value>(schema: TSchema<Value>): TOptional<Value> => ({ ...schema, [OPTIONAL]: true }),
};
