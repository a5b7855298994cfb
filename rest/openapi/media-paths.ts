/** The media of Destinations as an OpenAPI 3.1 path item. It is no tool, so there is no declaration to generate it from. */
import { headerReferences } from './openapi-problems.ts';
import { SECURITY } from './openapi-security.ts';
import { andList } from '../../domain/base/sentence.ts';
import { PACKAGED_TYPES } from '../../domain/types/destination-questions.ts';

type Json = Record<string, unknown>;

const id = { type: 'integer', minimum: 1, maximum: 999_999_999_999_999 };
const TYPES = [
  'application/vnd.apple.mpegurl',
  'application/dash+xml',
  'video/mp2t',
  'video/iso.segment',
  'video/mp4',
  'text/vtt',
];
const binary = {
  content: Object.fromEntries(TYPES.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
};

export function mediaPaths(): Record<string, Json> {
  const problems = [401, 403, 404, 409, 502, 503].map((status) => [
    String(status),
    { $ref: `#/components/responses/Problem${status}` },
  ]);
  const parameter = (name: string, description: string, schema: Json, value: unknown): Json => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
    examples: { typical: { value } },
  });
  const answered = { headers: headerReferences(['X-Request-Id']) };
  return {
    '/feed/live/{livestreamId}/{publishingId}/{file}': {
      get: {
        operationId: 'getFeedMedia',
        summary: 'Watch a Destination that a Device serves, through this server.',
        description:
          `For the page; a program may use it too. Playlists, manifests and segments of ${andList(PACKAGED_TYPES)} without a url are read from ` +
          'the Device of the Live stream, whichever machine that is. Addresses in them are relative; no playback token is needed. Byte ' +
          'ranges and conditions count as at the Device. It ends with the session. Viewers watch at the Device itself: see createPlaybackLink.',
        tags: ['Live streams'],
        parameters: [
          { $ref: '#/components/parameters/RequestId' },
          parameter('livestreamId', 'Live stream on air.', id, 7),
          parameter('publishingId', 'Destination of it.', id, 9),
          parameter(
            'file',
            'index.m3u8, manifest.mpd, or what they name: a folder with a number may stand before the name, and its slash is not escaped.',
            {
              type: 'string',
              minLength: 1,
              maxLength: 216,
              pattern: '^([1-9][0-9]{0,14}/)?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$',
            },
            'index.m3u8',
          ),
        ],
        security: SECURITY.read,
        responses: {
          '200': { description: 'The whole file.', ...answered, ...binary },
          '206': { description: 'The range that was asked for.', ...answered, ...binary },
          '304': { description: 'What the caller has still counts.', ...answered },
          '416': { description: 'The file ends before the range.', ...answered },
          ...Object.fromEntries(problems),
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
  };
}
