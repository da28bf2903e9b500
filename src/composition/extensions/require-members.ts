type Types = Readonly<Record<string, 'function' | 'array' | 'string'>>;

/** JavaScript does not detect a misspelt name. `what` a member is called in errors. */
export function requireMembers(object: object, types: Types, what: string): void {
  // An instance of a class may have further properties of its own.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(object));
  const unknown = isPlain ? Object.keys(object).find((name) => !(name in types)) : undefined;
  if (unknown !== undefined)
    throw new Error(`unknown ${what} \`${unknown}\`; there are ${Object.keys(types).join(', ')}`);
  for (const [name, type] of Object.entries(types)) {
    const value: unknown = Reflect.get(object, name);
    if (value !== undefined && (type === 'array' ? !Array.isArray(value) : typeof value !== type))
      throw new Error(`\`${name}\` has to be ${type === 'array' ? 'an array' : `a ${type}`}`);
  }
}
