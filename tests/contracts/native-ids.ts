const ID_FIELDS = ['id', 'organizationId', 'websiteId', 'parentId', 'parentOrganizationId'];

/**
 * Translates between the ids of tests and those of a dashboard whose ids are not text. Both have the same order: older
 * ids first.
 */
export class NativeIds {
  readonly #natives = new Map<string, string>();
  readonly #texts = new Map<string, string>();

  constructor(private readonly write: (place: number) => string) {}

  /** A row, a scope, ids or one of them, with the ids of the dashboard. */
  native<Value>(value: Value): Value {
    return this.#translated(value, (id) => this.#nativeOf(id), true) as Value;
  }

  /** The same port, used with the ids of tests. */
  around<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const method = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (kind: unknown, ...others: unknown[]) => {
          const [first, ...rest] = Array.isArray(kind)
            ? [this.native(kind), ...others]
            : [kind, ...this.native(others)];
          const answer: unknown = await method.call(target, first, ...rest);
          return this.#translated(answer, (id) => this.#texts.get(id) ?? id, true);
        };
      },
    });
  }

  #nativeOf(text: string): string {
    if (text === '') return text;
    const known = this.#natives.get(text) ?? this.write(this.#natives.size + 1);
    this.#natives.set(text, known);
    this.#texts.set(known, text);
    return known;
  }

  #translated(value: unknown, translate: (id: string) => string, isId: boolean): unknown {
    if (typeof value === 'string') return isId ? translate(value) : value;
    if (Array.isArray(value)) return value.map((each) => this.#translated(each, translate, isId));
    if (value === null || typeof value !== 'object') return value;
    const fields = Object.entries(value).map(([field, each]) => {
      const holdsIds = ID_FIELDS.includes(field) || ['keys', 'ids'].includes(field);
      return [field, this.#translated(each, translate, holdsIds)];
    });
    return Object.fromEntries(fields);
  }
}
