/** The paths beside the operations in their form: shared shapes, examples, the headers of every answer. */
import type { JsonSchema } from '../../toolkit/input/json-schema.ts';
import { pascal, propertiesOf, singular, type Components, type Root } from './openapi-components.ts';
import { exampleOf } from './openapi-examples.ts';
import { headerReferences } from './openapi-problems.ts';
import { ASSISTANT_PATHS } from './assistant-paths.ts';
import { SIGN_IN_PATHS } from './sign-in-paths.ts';

type Json = Record<string, unknown>;
interface Content {
  content?: Record<string, { schema: JsonSchema }>;
}
interface Operation extends Json {
  operationId: string;
  parameters: readonly Json[];
  requestBody?: Content;
  responses: Record<string, Content & Json>;
}
type Paths = Record<string, Record<string, Operation>>;

const PATHS = { ...SIGN_IN_PATHS, ...ASSISTANT_PATHS } as Paths;

export function signInRoots(): Root[] {
  const operations = Object.values(PATHS).flatMap((item) => Object.values(item));
  // GET /security/me has the same answer as a sign-in, and the better name for it.
  operations.sort((a, b) => Number(b.operationId.startsWith('get')) - Number(a.operationId.startsWith('get')));
  return operations.flatMap(({ operationId, requestBody, responses }) => {
    const own = pascal(operationId.replace(/^get(?=[A-Z])/u, ''));
    const answers = Object.values(responses).flatMap((response) => schemasOf(response));
    return [
      ...schemasOf(requestBody ?? {}).map((schema) => ({ names: [`${own}Body`], schema })),
      ...answers.map((schema) => {
        const { data, rows } = propertiesOf(schema);
        const named = data ?? (rows?.['items'] as JsonSchema | undefined) ?? schema;
        return {
          names: rows === undefined ? [own, `${own}Answer`] : [singular(own.replace(/^List/u, ''))],
          schema: named,
        };
      }),
      ...answers.map((schema) => ({ names: [], schema })),
    ];
  });
}

export function signInPaths(components: Components): Record<string, Json> {
  const contentOf = (content: Content): Json => ({
    ...content,
    ...(content.content && {
      content: Object.fromEntries(
        Object.entries(content.content).map(([type, { schema }]) => [
          type,
          { schema: components.refer(schema), examples: { typical: { value: exampleOf(schema, 'body') } } },
        ]),
      ),
    }),
  });
  const responseOf = (response: Content & Json): Json =>
    '$ref' in response
      ? response
      : {
          ...contentOf(response),
          headers: { ...headerReferences(['X-Request-Id']), ...(response['headers'] as Json | undefined) },
        };
  return Object.fromEntries(
    Object.entries(PATHS).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          {
            ...operation,
            parameters: [{ $ref: '#/components/parameters/RequestId' }, ...operation.parameters],
            ...(operation.requestBody && { requestBody: contentOf(operation.requestBody) }),
            responses: Object.fromEntries(
              Object.entries(operation.responses).map(([status, response]) => [status, responseOf(response)]),
            ),
          },
        ]),
      ),
    ]),
  );
}

function schemasOf({ content }: Content): JsonSchema[] {
  return Object.values(content ?? {}).map(({ schema }) => schema);
}
