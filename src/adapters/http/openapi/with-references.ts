/** The document as plain JSON. Each of the schemas is defined once and referenced from everywhere else. */
export function withReferences<Document>(
  document: Document,
  schemas: Readonly<Record<string, object>>,
): Document {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
  const text = JSON.stringify(document, function (this: object, _key, value) {
    const name = this === schemas ? undefined : names.get(value);
    return name === undefined ? value : { $ref: `#/components/schemas/${name}` };
  });
  return JSON.parse(text);
}
