import { type TSchema, Type } from '../endpoints/schema.js';

const text = (description: string) => Type.String({ description });

const blogs: TSchema = {
  ...Type.Array(
    Type.Object({
      id: text('Identifier of the blog'),
      slug: text('Its slug, or one that it left'),
      websiteId: text('Its website, or one that it left'),
    }),
  ),
  type: ['array', 'null'],
  description:
    'The blogs that were shown, changed or taken away since the last accepted message. Null: more than 100, or not known',
};

/** The body of a webhook, for who receives it. */
export const ContentPublished = Type.Object({
  type: Type.Enum(['content.published']),
  timestamp: Type.String({ format: 'date-time', description: 'When the content got its generation' }),
  data: Type.Object({
    organizationId: text('The organization whose content is newer'),
    generation: Type.Integer({ description: 'For the header `X-Min-Generation` of requests that follow' }),
    blogs,
    terms: { type: 'boolean', description: 'Whether categories or tags may have changed' },
  }),
});

const HEADERS = {
  'webhook-id': 'The same for each attempt of a message',
  'webhook-timestamp': 'When it was sent, in seconds since 1970',
  'webhook-signature': '`v1,` and HMAC-SHA256 of id, timestamp and body in base64, once for each secret',
};

/** What the sync worker calls, as OpenAPI describes it. */
export const CONTENT_PUBLISHED = {
  operationId: 'contentPublished',
  tags: ['webhooks'],
  summary: 'Content of an organization is newer',
  description: 'A POST of the sync worker to an endpoint of `WEBHOOKS`, signed by Standard Webhooks.',
  security: [],
  parameters: Object.entries(HEADERS).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: Type.String(),
  })),
  requestBody: { required: true, content: { 'application/json': { schema: ContentPublished } } },
  responses: {
    '2XX': { description: 'Accepted, whatever the body' },
    410: { description: 'The endpoint is not called again until the file of `WEBHOOKS` changes' },
    default: { description: 'Sent again, not before the time of `Retry-After`' },
  },
};
