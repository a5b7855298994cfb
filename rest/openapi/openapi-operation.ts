/** One operation of the OpenAPI description. */
import { isMutating } from '../../toolkit/access.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { isWorkflow, successStatus, type Route, type Tool } from '../../toolkit/tool.ts';
import { fileTypeOf, inlineFieldOf, takesForm } from '../media.ts';
import { exampleSchemaOf, outputOf } from './openapi-answers.ts';
import { isSchema, pascal, propertiesOf, singular, type Components, type Root } from './openapi-components.ts';
import { answerExample, bodyExample } from './openapi-examples.ts';
import { headerReferences, problemReferences } from './openapi-problems.ts';
import { SECURITY } from './openapi-security.ts';

export type Json = Record<string, unknown>;

/** Creates that answer 200 where the resource is there already as it was sent. */
const THERE_ALREADY: ReadonlySet<string> = new Set(['installLicense']);

/** Creates that answer 202 where what they started is still to come on air. */
const STARTS: ReadonlySet<string> = new Set(['setUpBroadcast']);

/** A typed client must know this of a parameter; a model sees the rows themselves, and would pay for these words with every list. */
const MORE_WORDS: Readonly<Record<string, string>> = {
  fields: 'A row then has these and its id alone: a typed client must not rely on the other fields, required or not.',
};

export interface Described {
  tool: Tool;
  route: Route;
}

interface Deps {
  components: Components;
  /** The body that the example creates this resource with. */
  sentOf(noun: string): Json | undefined;
}

export function operationObject({ tool, route }: Described, deps: Deps): Json {
  const body = bodyOf(tool, route);
  return {
    operationId: tool.name,
    summary: tool.summary,
    description: `${tool.description}\n\nRole: ${tool.access === 'admin' ? 'System Administrator' : 'Operator or System Administrator'}.`,
    tags: [tool.tag],
    security: isMutating(tool) ? SECURITY.write : SECURITY.read,
    parameters: parametersOf(tool, route),
    ...(body !== undefined && { requestBody: requestBody(tool, body, deps.components) }),
    responses: { ...successResponses(tool, deps), ...problemReferences(tool) },
  };
}

/** Ends the names of a workflow's schemas, for there are operations of the same words. */
const WORKFLOW = 'Workflow';

/** The schemas of an operation that deserve a name of their own: its body, and its answer. */
export function rootsOf({ tool, route }: Described): Root[] {
  const own = `${pascal(tool.name)}${isWorkflow(tool) ? WORKFLOW : ''}`;
  const { data, rows } = propertiesOf(outputOf(tool));
  const row = rows?.['items'] as JsonSchema | undefined;
  const body = bodyOf(tool, route);
  const noun = nounOf(tool);
  return [
    ...(data === undefined ? [] : [{ names: [noun, `${own}Answer`], schema: data }]),
    ...(row === undefined ? [] : [{ names: [`${noun}Row`, `${own}Row`], schema: row }]),
    ...(body === undefined ? [] : [{ names: [`${own}Body`], schema: body }]),
  ];
}

/** `getAllChannels`, `getChannelById` and `addChannel` have the noun Channel. */
export function nounOf(tool: Pick<Tool, 'name' | 'effect' | 'rest'>): string {
  if (isWorkflow(tool)) return `${pascal(tool.name)}${WORKFLOW}`;
  if (tool.effect === 'delete') return 'Deleted';
  const bare = tool.name
    .replace(/^(?:getAll|get|list|add|create|update|read|upload|patch|install)(?=[A-Z])/u, '')
    .replace(/ById$/u, '');
  return pascal(singular(bare));
}

/** The fields that are in neither the path nor the query; undefined for a method without a body and for no fields. */
function bodyOf(tool: Tool, route: Route): JsonSchema | undefined {
  if (route.method === 'GET' || route.method === 'DELETE') return undefined;
  const schema = toJsonSchema(tool.input);
  const properties = Object.entries(propertiesOf(schema)).filter(([name]) => !route.params.includes(name));
  if (properties.length === 0) return undefined;
  const names = properties.map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, field]) => [name, withoutDefault(field)])),
    required: requiredOf(schema).filter((name) => names.includes(name)),
    additionalProperties: false,
  };
}

/**
 * A field that is left out of a body is filled in, but generators of typed clients take a `default` for a field that is always there, and
 * would require it. The description says the default instead.
 */
function withoutDefault({ default: initial, ...schema }: JsonSchema): JsonSchema {
  const words = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  const isDescribed = initial === undefined || typeof initial === 'object' || /default/iu.test(words ?? '');
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(!isDescribed && { description: [words, `Default: ${JSON.stringify(initial)}.`].filter(Boolean).join(' ') }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(propertiesOf(schema)).map(([name, field]) => [name, withoutDefault(field)]),
      ),
    }),
    ...(isSchema(items) && { items: withoutDefault(items) }),
    ...(Array.isArray(anyOf) && { anyOf: (anyOf as JsonSchema[]).map(withoutDefault) }),
  };
}

function requiredOf(schema: JsonSchema): string[] {
  return (schema['required'] ?? []) as string[];
}

function parametersOf(tool: Tool, route: Route): Json[] {
  const schema = toJsonSchema(tool.input);
  const inQuery = route.method === 'GET' || route.method === 'DELETE';
  const fields = Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    if (route.params.includes(name)) return [parameter(name, 'path', field, true)];
    return inQuery ? [parameter(name, 'query', field, requiredOf(schema).includes(name))] : [];
  });
  const headers = ['RequestId'];
  if (isMutating(tool)) headers.push('IdempotencyKey');
  // A workflow names its resources, so that a caller holds no version of them.
  if (!isWorkflow(tool) && (tool.effect === 'update' || tool.effect === 'delete')) headers.push('IfMatch');
  return [...fields, ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
}

function parameter(name: string, place: 'path' | 'query', schema: JsonSchema, required: boolean): Json {
  const { description, ...rest } = schema;
  const words = [description, place === 'query' ? MORE_WORDS[name] : undefined].filter((text) => text !== undefined);
  return {
    name,
    in: place,
    required,
    ...(words.length > 0 && { description: words.join(' ') }),
    schema: rest,
    ...(rest['type'] === 'array' && { style: 'form', explode: false }),
  };
}

function requestBody(tool: Tool, schema: JsonSchema, components: Components): Json {
  const required = requiredOf(schema).length > 0;
  const example = bodyExample(tool.name, schema);
  const json = { schema: components.refer(schema), examples: { typical: { value: example } } };
  const inline = inlineFieldOf(tool);
  if (!takesForm(tool) || inline === undefined) return { required, content: { 'application/json': json } };
  const { [inline]: _json, ...texts } = propertiesOf(schema);
  const form = {
    type: 'object',
    properties: {
      ...texts,
      file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The content.' },
    },
    required: [...requiredOf(schema).filter((name) => name !== inline), 'file'],
    additionalProperties: false,
  };
  return { required: true, content: { 'multipart/form-data': { schema: form }, 'application/json': json } };
}

function successResponses(tool: Tool, { components, sentOf }: Deps): Json {
  const fileType = fileTypeOf(tool);
  const output = outputOf(tool);
  const value = answerExample(exampleSchemaOf(tool), sentOf(nounOf(tool)));
  const headers = headerReferences(successHeaders(tool));
  const json = { 'application/json': { schema: components.refer(output), examples: { typical: { value } } } };
  const stream =
    fileType === undefined ? {} : { [fileType]: { schema: { type: 'string', contentMediaType: fileType } } };
  const answer = { headers, content: { ...json, ...stream } };
  const file =
    fileType === undefined ? {} : { '206': { description: 'The byte range asked for.', headers, content: stream } };
  // An operation that steers a broadcast may answer before the Device has done it.
  const accepted =
    tool.effect === 'control' || STARTS.has(tool.name)
      ? { '202': { description: 'Accepted; the status tells when it is done.', ...answer } }
      : {};
  const unchanged = THERE_ALREADY.has(tool.name) ? { '200': { description: 'It was there already.', ...answer } } : {};
  const tried =
    'dry_run' in tool.input.shape ? { '200': { description: 'dry_run: nothing was done.', ...answer } } : {};
  return {
    ...tried,
    [String(successStatus(tool.effect))]: { description: 'Done.', ...answer },
    ...unchanged,
    ...accepted,
    ...file,
  };
}

function successHeaders(tool: Tool): string[] {
  const isOne = 'data' in propertiesOf(toJsonSchema(tool.output));
  const isStored = tool.effect === 'read' || tool.effect === 'create' || tool.effect === 'update';
  return [
    'X-Request-Id',
    ...(isOne && isStored ? ['ETag'] : []),
    ...(isMutating(tool) ? ['Idempotency-Replayed'] : []),
  ];
}
