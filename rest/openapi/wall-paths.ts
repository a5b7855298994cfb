/** The tiles of a wall as an OpenAPI 3.1 path item. It is no tool, so there is no declaration to generate it from. */
import { LAYOUTS } from '../../domain/shapes/broadcasts/wall.ts';
import { headerReferences } from './openapi-problems.ts';
import { SECURITY } from './openapi-security.ts';

type Json = Record<string, unknown>;

const id = { type: 'integer', minimum: 1, maximum: 999_999_999_999_999 };
const object = (description: string, properties: Json): Json => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

const wall = object('The wall.', {
  id: { ...id, description: 'Id of the wall.' },
  name: { type: 'string', maxLength: 100, description: 'Its name.' },
  layout: { type: 'integer', enum: [...LAYOUTS], description: 'Tiles on one screen.' },
  tiles: {
    type: 'array',
    description: 'Its tiles in their order.',
    items: object('A tile.', {
      livestreamId: { ...id, description: 'Live stream that it shows.' },
      always: { type: 'boolean', description: 'false: it is there only while the Live stream is on.' },
    }),
  },
});

const EXAMPLE = { id: 3, name: 'Gallery', layout: 4, tiles: [{ livestreamId: 7, always: true }] };

export function wallPaths(): Record<string, Json> {
  const problems = [401, 403, 404, 503].map((status) => [
    String(status),
    { $ref: `#/components/responses/Problem${status}` },
  ]);
  return {
    '/feed/walls/{wallId}': {
      get: {
        operationId: 'getFeedWall',
        summary: 'Show which tiles a wall has now.',
        description:
          'For the page, and for displays, which ask with the token of their link in place of one of the API: here, at getFeed and at ' +
          'getFeedPictures, for the Live streams of that wall alone. The feed tells them `changed` when it is to be asked again.',
        tags: ['Walls'],
        parameters: [
          { $ref: '#/components/parameters/RequestId' },
          {
            name: 'wallId',
            in: 'path',
            required: true,
            description: 'The wall.',
            schema: id,
            examples: { typical: { value: 3 } },
          },
        ],
        security: SECURITY.read,
        responses: {
          '200': {
            description: 'The wall and its tiles.',
            headers: headerReferences(['X-Request-Id']),
            content: {
              'application/json': {
                schema: object('The answer.', { data: wall }),
                examples: { typical: { value: { data: EXAMPLE } } },
              },
            },
          },
          ...Object.fromEntries(problems),
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
  };
}
