/** Generates the OpenAPI 3.1 description from the catalogue, so that nothing in it is written twice. */
import type { Catalogue } from '../../toolkit/catalogue.ts';
import { TAGS } from '../../toolkit/tags.ts';
import { isWorkflow, routeOf } from '../../toolkit/tool.ts';
import { EXAMPLE_BODIES } from './example-values.ts';
import { outputOf } from './openapi-answers.ts';
import { Components, type Root } from './openapi-components.ts';
import { documentPaths } from './openapi-documents.ts';
import { nounOf, operationObject, rootsOf, type Described, type Json } from './openapi-operation.ts';
import { PROBLEM_SCHEMA, problemResponses } from './openapi-problems.ts';
import { SECURITY, SECURITY_SCHEMES } from './openapi-security.ts';
import { sharedHeaders, sharedParameters, shareParameters } from './openapi-shared.ts';
import { signInPaths, signInRoots } from './openapi-sign-in.ts';
import { mediaPaths } from './media-paths.ts';
import { wallPaths } from './wall-paths.ts';
import { picturePaths } from './picture-paths.ts';
import { PREFIX } from '../routes.ts';

interface DocumentOptions {
  version: string;
  /** The public base URL of the server; left out: paths are relative to where the document is served. */
  serverUrl?: string | undefined;
}

type Offered = Pick<Catalogue, 'operations' | 'workflows'>;

/** The document as text, made when it is first read. */
export function openApiText(catalogue: Offered, options: DocumentOptions): () => string {
  let text: string | undefined;
  return () => (text ??= JSON.stringify(openApiDocument(catalogue, options)));
}

export function openApiDocument(catalogue: Offered, options: DocumentOptions): Json {
  const tools = [...catalogue.operations, ...catalogue.workflows];
  const operations = tools.map((tool): Described => ({ tool, route: routeOf(tool) }));
  const components = componentsOf(operations);
  const sentOf = sentBodies(operations);
  const paths: Record<string, Json> = {};
  for (const entry of operations) {
    const { method, path } = entry.route;
    (paths[path] ??= {})[method.toLowerCase()] = operationObject(entry, { components, sentOf });
  }
  const parameters = shareParameters(paths);
  const root = options.serverUrl?.replace(/\/+$/u, '') ?? '';
  return {
    openapi: '3.1.0',
    info: infoOf(options.version),
    servers: [{ url: `${root}${PREFIX}`, description: 'This service.' }],
    security: SECURITY.read,
    tags: tagsOf(operations),
    paths: {
      ...paths,
      ...signInPaths(components),
      ...picturePaths(),
      ...mediaPaths(),
      ...wallPaths(),
      ...documentPaths(root === '' ? '/' : root),
    },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { ...sharedParameters(), ...parameters },
      headers: sharedHeaders(),
      schemas: { ...components.schemas(), Problem: PROBLEM_SCHEMA },
      responses: problemResponses(),
    },
  };
}

const infoOf = (version: string): Json => ({
  title: 'onair',
  version,
  summary: 'Control of live video broadcasts.',
  description:
    'Controls live video broadcasts. Every operation is also a tool of the MCP server (`/mcp`) under the name in operationId.\n\n' +
    'One resource is answered under `data`, a list as `rows` with `pagination`. Bodies are JSON; a field that an operation does not ' +
    'know is refused. A `PUT` changes only what it is sent, and `null` clears a field that may be null. Errors are RFC 9457 problems ' +
    'with a closed list of codes.\n\n' +
    // The stream is declared as no operation's answer: a typed client would have to tell text from the object that it asked for.
    'A workflow that waits, createClip and exportClip report their progress to a caller who sends `Accept: text/event-stream`: the ' +
    'answer is then a stream of server-sent events, `progress` with {progress, total, message}, and at last `answer` or `problem` with ' +
    'the body in question. What needs no wait is answered as JSON.',
  contact: { name: 'The administrator of this installation' },
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
});

/** Operations that show one resource name its shape; the others refer to it. */
function componentsOf(operations: readonly Described[]): Components {
  const rank = ({ tool }: Described): number => {
    if (tool.name.endsWith('ById')) return 0;
    return tool.effect === 'read' ? 1 : 2;
  };
  const byRank = [...operations].sort((a, b) => rank(a) - rank(b));
  const answers = operations.map(({ tool }) => ({ names: [], schema: outputOf(tool) }));
  const rootsWhere = (test: (entry: Described) => boolean): Root[] => byRank.filter(test).flatMap(rootsOf);
  const roots = rootsWhere(({ tool }) => !isWorkflow(tool));
  // A row that is a whole resource goes by the resource's name, also where no operation shows one alone; a verb names it last.
  const rankOf = ({ names: [name, other] }: Root): number =>
    name?.endsWith('Row') === true ? 1 : other === `${name}Answer` ? 2 : 0;
  const rankedRoots = roots.toSorted((a, b) => rankOf(a) - rankOf(b));
  // A shape that an operation has too goes by the name that it has there.
  const workflowRoots = rootsWhere(({ tool }) => isWorkflow(tool));
  return new Components([...rankedRoots, ...signInRoots(), ...workflowRoots, ...answers]);
}

/** Finds the body that the example of a resource's creation sends. */
function sentBodies(operations: readonly Described[]): (noun: string) => Json | undefined {
  const creates = operations.filter(({ tool }) => tool.effect === 'create');
  const byNoun = new Map(creates.map(({ tool }) => [nounOf(tool), EXAMPLE_BODIES[tool.name]]));
  return (noun) => byNoun.get(noun);
}

/** The tags in use, in the order of toolkit/tags.ts. */
function tagsOf(operations: readonly Described[]): Json[] {
  const usedTags = new Set([...operations.map(({ tool }) => tool.tag), 'Security', 'System']);
  const knownTags = Object.keys(TAGS).filter((name) => usedTags.has(name));
  const others = [...usedTags].filter((name) => !knownTags.includes(name));
  return [...knownTags, ...others].map((name) => ({ name, description: TAGS[name] }));
}
