interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, { readonly get: { operationId: string; parameters: Parameter[] } }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const HEADER = '// Written by `npm run openapi`, from what the API takes and answers.\n';

/** The schemas of the API's description, and the query of each operation that has one, as TypeScript. */
export function clientTypes({ paths, components }: OpenApi): string {
  const queries = Object.values(paths).flatMap(({ get }) => queryOf(get.operationId, get.parameters));
  const interfaces = [...Object.entries(components.schemas), ...queries].map(
    ([name, schema]) => `export interface ${name} ${typeOf(schema, '')}\n`,
  );
  return [HEADER, ...interfaces].join('\n');
}

function queryOf(operationId: string, parameters: readonly Parameter[]): [string, Schema][] {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  if (query.length === 0) return [];
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`;
  const properties = query.map(({ name, description, schema }) => [name, { ...schema, description }]);
  const required = query.filter((parameter) => parameter.required).map(({ name }) => name);
  return [[name, { type: 'object', properties: Object.fromEntries(properties), required }]];
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  return [schema.type]
    .flat()
    .map((type) => typeNamed(type, schema, indent))
    .join(' | ');
}

function typeNamed(type: string | undefined, { items, properties, required = [] }: Schema, indent: string) {
  switch (type) {
    case 'string':
    case 'null':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${typeOf(items ?? {}, indent)}[]`;
    case 'object':
      return objectOf(properties ?? {}, required, indent);
    default:
      throw new Error(`Say in ${import.meta.filename} what "${type}" is in TypeScript`);
  }
}

function objectOf(properties: Readonly<Record<string, Schema>>, required: readonly string[], indent: string) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [] : [`${inner}/** ${schema.description} */`]),
    required.includes(name)
      ? `${inner}readonly ${name}: ${typeOf(schema, inner)};`
      : `${inner}readonly ${name}?: ${typeOf(schema, inner)} | null | undefined;`,
  ]);
  return ['{', ...lines, `${indent}}`].join('\n');
}
