import { Blog, BlogDetail, BlogPage, OneBlog, Pagination, Term } from '../endpoints/blog-schemas.js';
import { Category, CategoryList } from '../endpoints/category-schemas.js';
import { OPERATIONS, type Operation } from '../endpoints/operations.js';
import { Tag, TagList } from '../endpoints/tag-schemas.js';
import { ErrorEnvelope } from '../response/error-answers.js';
import answerExamples from './answer-examples.json' with { type: 'json' };
import { errorResponses, errorsOf } from './error-responses.js';
import { parametersOf, pathTemplate } from './request-parameters.js';
import { type HeaderName, headersWith, RESPONSE_HEADERS } from './response-headers.js';
import { withReferences } from './with-references.js';

const ON_CONTENT: readonly HeaderName[] = ['ETag', 'X-Cache', 'Cache-Status', 'X-Content-Generation', 'Age'];

const DESCRIPTION = `Read-only access to the published blogs, categories and tags of an organization.

- Every request needs the header \`X-API-Key\`. A key belongs to one organization and reads all its websites, and no others. Keep it on your server.
- 100 requests a minute for each key in a sliding window, unless the operator has configured another limit. Every response has the \`X-RateLimit-*\` headers.
- HEAD is answered like GET, without the body. Unknown parameters are ignored, repeated ones are refused.
- A request that is not HTTP gets a 400, one with headers above 8 KiB a 431 and one that is not sent completely a 408: in the same envelope, but without these headers.`;

/**
 * The API as OpenAPI 3.1, generated from what routes and validates requests and from the schemas that the presenters are compiled against.
 */
export function openApiDocument() {
  const schemas = {
    Blog,
    BlogDetail,
    BlogPage,
    Category,
    CategoryList,
    ErrorEnvelope,
    OneBlog,
    Pagination,
    Tag,
    TagList,
    Term,
  };
  const described = {
    openapi: '3.1.0',
    info: {
      title: 'Blog Content Read API',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{origin}',
        description: 'The public port',
        variables: { origin: { default: 'http://127.0.0.1:3000' } },
      },
    ],
    security: [{ ApiKey: [] }],
    paths: Object.fromEntries(
      OPERATIONS.map((operation) => [pathTemplate(operation), { get: describe(operation) }]),
    ),
    components: {
      schemas,
      headers: RESPONSE_HEADERS,
      responses: errorResponses(),
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Created in the dashboard. The API reads it from this header only',
        },
      },
    },
  };
  return withReferences(described, schemas);
}

/** Documentation pages group operations by this tag. */
function resourceOf({ path }: Operation): string {
  return path.replace('/api/v1/', '').split('/')[0] ?? '';
}

function describe(operation: Operation & { id: keyof typeof answerExamples }) {
  const { id, summary, content } = operation;
  return {
    operationId: id,
    tags: [resourceOf(operation)],
    summary,
    parameters: parametersOf(operation),
    responses: {
      200: {
        description: 'The content',
        headers: headersWith(...ON_CONTENT, 'Content-Encoding'),
        content: {
          'application/json': { schema: content, examples: { [id]: answerExamples[id] } },
        },
      },
      304: {
        description: 'Not modified: the `If-None-Match` of the client is current',
        headers: headersWith(...ON_CONTENT),
      },
      ...errorsOf(operation),
    },
  };
}
