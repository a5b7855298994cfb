/** The stream of pictures as an OpenAPI 3.1 path item. It is no tool, so there is no declaration to generate it from. */
import { headerReferences } from './openapi-problems.ts';
import { SECURITY } from './openapi-security.ts';

type Json = Record<string, unknown>;

const HEADER =
  'Each picture is a header of 28 bytes, big-endian, and a JPEG: u32 length of the JPEG, u32 livestreamId, f64 instant at which the frame ' +
  'went to the encoder (ms since 1970), i16 and i16 peaks of the last second, left and right, in tenths of dBFS (-32768: no sound), ' +
  'u16 flags (1 black, 2 frozen for 10 s, 4 silent for 10 s, 8 blackout, 16 slate), u16 width in pixels, u32 zero.';

export function picturePaths(): Record<string, Json> {
  const problems = [400, 401, 403].map((status) => [
    String(status),
    { $ref: `#/components/responses/Problem${status}` },
  ]);
  return {
    '/feed/pictures': {
      get: {
        operationId: 'getFeedPictures',
        summary: 'Follow small pictures of Live streams on air, all in one response.',
        description:
          'For the page; a program may use it too. The newest picture of each Live stream is sent at the rate that is wanted, never ' +
          `an older one to who reads slowly, and at most 60 a second in all. One that is off sends nothing. ${HEADER}`,
        tags: ['Live streams'],
        parameters: [
          { $ref: '#/components/parameters/RequestId' },
          {
            name: 'want',
            in: 'query',
            required: true,
            description: '<livestreamId>:<320|640>:<pictures a second, above 0, at most 10>, with commas between.',
            schema: { type: 'string', minLength: 7, maxLength: 15_000 },
            examples: { typical: { value: '7:320:1,8:320:0.5' } },
          },
        ],
        security: SECURITY.read,
        responses: {
          '200': {
            description: 'Pictures, for as long as the caller may see them.',
            headers: headerReferences(['X-Request-Id']),
            content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
          ...Object.fromEntries(problems),
          default: { $ref: '#/components/responses/Problem' },
        },
      },
    },
  };
}
