/** What a caller of one profile and role sees: the list of tools, prebuilt and frozen, the prompts, and what it may call. */
import type { Role } from '../domain/security.ts';
import { roleAllows, type Profile } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import { toJsonSchema, type JsonSchema } from '../toolkit/json-schema.ts';
import type { Tool } from '../toolkit/tool.ts';
import { hintsOf, jointHints, type Hints } from './hints.ts';
import { CALL_TOOL, callInput, SEARCH_TOOLS, searchInput } from './meta-tools.ts';
import { PROMPTS, type Prompt } from './prompts.ts';
import { outline } from './schema-size.ts';

/** A JSON Schema of an object, as tools/list needs it. */
export type ObjectSchema = JsonSchema & { type: 'object' };

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: Hints;
}

export interface Surface {
  readonly list: readonly ListedTool[];
  readonly prompts: readonly Prompt[];
  allows(tool: Tool): boolean;
}

/** Levels of an answer that the list describes: its own fields. One more would cost 500 tokens, and the whole status object 900. */
const OUTPUT_DEPTH = 1;

export function buildSurface(catalogue: Catalogue, profile: Profile, role: Role): Surface {
  const allows = (tool: Tool): boolean => profile.allows(tool) && roleAllows(role, tool);
  const reachable = [...catalogue.operations, ...catalogue.workflows].filter(allows);
  const list = [...catalogue.workflows.map(listed), searchTools(), callTool(reachable)];
  const prompts = PROMPTS.filter(({ needs }) => reachable.some(({ name }) => name === needs));
  return { list: Object.freeze(list), prompts, allows };
}

function listed(tool: Tool): ListedTool {
  const annotations = hintsOf(tool);
  return {
    name: tool.name,
    title: annotations.title,
    description: `${tool.summary} ${tool.description}`,
    inputSchema: inputSchema(tool.input),
    outputSchema: answerSchema(outline(toJsonSchema(tool.output), OUTPUT_DEPTH)),
    annotations,
  };
}

/**
 * The SDK's client checks structuredContent against outputSchema even where isError is set, so a problem must fit as well; were it a
 * looser object instead, a wrong answer would fit too.
 */
export function answerSchema(answer: JsonSchema): ObjectSchema {
  const { description: _description, ...success } = answer;
  return { type: 'object', anyOf: [success, { type: 'object', required: ['code', 'detail', 'remedy'] }] };
}

function searchTools(): ListedTool {
  const found = {
    type: 'object',
    properties: {
      query: { type: 'string' },
      tools: { type: 'array', items: { type: 'object', required: ['name', 'summary', 'score'] } },
      note: { type: 'string' },
    },
    required: ['query', 'tools'],
  };
  return {
    name: SEARCH_TOOLS,
    title: 'Search tools',
    description:
      'Find operations by what you want to do; answers names, schemas, annotations and the role needed. Run one with call_tool.',
    inputSchema: inputSchema(searchInput),
    outputSchema: answerSchema(found),
    annotations: jointHints('Search tools', [{ effect: 'read' }]),
  };
}

function callTool(reachable: readonly Tool[]): ListedTool {
  return {
    name: CALL_TOOL,
    title: 'Call tool',
    description:
      'Run any operation or workflow by name, with its own arguments in one object: {"operationId": "getLivestreamById", "arguments": {"livestreamId": 5}}. It answers what that tool answers.',
    inputSchema: inputSchema(callInput),
    outputSchema: { type: 'object', description: 'The answer of the tool called, or with isError its problem.' },
    annotations: jointHints('Call tool', reachable),
  };
}

function inputSchema(schema: Tool['input'] | typeof callInput): ObjectSchema {
  return { ...toJsonSchema(schema), type: 'object' };
}
