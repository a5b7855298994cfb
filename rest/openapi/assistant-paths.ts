/** The assistants that people have connected, as OpenAPI 3.1 path items. These are no tools, so there is no declaration to generate them from. */
import { tokenClientOutput } from '../../domain/shapes/installation/oauth.ts';
import { tokenOutput } from '../../domain/shapes/installation/security.ts';
import { deletedOutput } from '../../toolkit/crud.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { listOf } from '../../toolkit/output/page.ts';

type Json = Record<string, unknown>;

const row = tokenOutput
  .extend({ client: tokenClientOutput.describe('The assistant, and who connected it.') })
  .strict()
  .describe('API token of a connected assistant.');

const answer = (description: string, schema: JsonSchema): Json => ({
  description,
  content: { 'application/json': { schema } },
});

const problems = (...statuses: number[]): Json => {
  const known = statuses.map((status) => [String(status), { $ref: `#/components/responses/Problem${status}` }]);
  return { ...Object.fromEntries(known), default: { $ref: '#/components/responses/Problem' } };
};

export const ASSISTANT_PATHS: Json = {
  '/security/assistants': {
    get: {
      operationId: 'listAssistants',
      summary: 'List the assistants that you have connected by OAuth.',
      description:
        'For whoever is signed in, of any role; an Administrator gets those of all users. All are on one page. Other API tokens are in ' +
        'listApiTokens.',
      tags: ['Security'],
      parameters: [],
      security: [{ bearer: [] }, { session: [] }],
      responses: { 200: answer('Connected assistants.', toJsonSchema(listOf(row))), ...problems(401) },
    },
  },
  '/security/assistants/{kid}': {
    delete: {
      operationId: 'endAssistant',
      summary: 'End the access of a connected assistant.',
      description:
        'It is answered once every server refuses the assistant, which gets no new access unless somebody connects it again. 404 is also ' +
        'for one of another user, unless an Administrator asks.',
      tags: ['Security'],
      parameters: [
        {
          name: 'kid',
          in: 'path',
          required: true,
          description: 'Key identifier of its token, from listAssistants.',
          schema: { type: 'string', minLength: 1, maxLength: 64 },
          examples: { typical: { value: 'k7Qm2xTz' } },
        },
      ],
      security: [{ bearer: [] }, { session: [], csrf: [] }],
      responses: { 200: answer('Ended.', toJsonSchema(deletedOutput)), ...problems(401, 403, 404) },
    },
  },
};
