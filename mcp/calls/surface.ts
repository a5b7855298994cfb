/**
 * The view of a caller with one profile, role and scope of its token: the list of tools, prebuilt and frozen, the prompts, and the tools it
 * may call.
 */
import type { Role, TokenScope } from '../../domain/shapes/installation/security.ts';
import { profiles } from '../../profiles/profiles.ts';
import { mayCall, type Profile } from '../../toolkit/access.ts';
import type { Catalogue } from '../../toolkit/catalogue.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { hintsOf, jointHints, titleOf, type Hints } from './hints.ts';
import { CALL_TOOL, callInput, confirmingCallInput, SEARCH_TOOLS, searchInput } from './meta-tools.ts';
import { PROMPTS, type Prompt } from './prompts.ts';
import { fillable } from '../search/schema-size.ts';

/** A JSON Schema of an object, as tools/list needs it. */
export type ObjectSchema = JsonSchema & { type: 'object' };

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  /** Left out of a tool that may answer an image: clients refuse an answer without structure of one that has it. */
  outputSchema?: ObjectSchema;
  annotations: Hints;
}

export interface Surface {
  readonly list: readonly ListedTool[];
  readonly prompts: readonly Prompt[];
  allows(tool: Tool): boolean;
}

export function buildSurface(catalogue: Catalogue, profile: Profile, role: Role, scope?: TokenScope): Surface {
  const allows = (tool: Tool): boolean => mayCall(tool, profile, { role, scope }, profiles);
  const reachable = [...catalogue.operations, ...catalogue.workflows].filter(allows);
  const list = [...catalogue.workflows.map(listed), searchTools(), callTool(reachable, profile.spoken)];
  const prompts = PROMPTS.filter(({ needs }) => reachable.some(({ name }) => name === needs));
  return { list: Object.freeze(list), prompts, allows };
}

export function listed(tool: Tool): ListedTool {
  return {
    name: tool.name,
    title: titleOf(tool.name),
    description: `${tool.summary} ${tool.description}`,
    inputSchema: inputSchema(tool.input),
    outputSchema: answerSchema(toJsonSchema(tool.output)),
    annotations: hintsOf(tool),
  };
}

/**
 * The schema has only the fields that an answer always has: their types and descriptions would double the list, and search_tools shows
 * them. The SDK's client checks structuredContent against outputSchema even where isError is set, so a problem must fit as well.
 */
function answerSchema({ required }: JsonSchema): ObjectSchema {
  return { type: 'object', anyOf: [{ required }, { required: ['code'] }] };
}

function searchTools(): ListedTool {
  return {
    name: SEARCH_TOOLS,
    title: titleOf(SEARCH_TOOLS),
    description:
      'Find operations beyond the tools listed, by what you want to do. Not for a listed tool or a known name. ' +
      'Answers names, schemas, hints and role, best first; run one with call_tool.',
    inputSchema: inputSchema(searchInput),
    outputSchema: answerSchema({ required: ['tools'] }),
    annotations: hintsOf({ effect: 'read' }),
  };
}

const ONLY_READS = 'It answers as that operation does and changes nothing here; what acts is refused.';
const ACTS = 'It changes, answers and may be repeated as that operation does; a delete cannot be undone.';

function callTool(reachable: readonly Tool[], isSpoken: boolean): ListedTool {
  const annotations = jointHints(reachable);
  return {
    name: CALL_TOOL,
    title: titleOf(CALL_TOOL),
    description:
      'Run any operation by name: {"operationId": "getChannelById", "arguments": {"channelId": 5}}. For what no listed tool ' +
      `does; search_tools finds names. ${annotations.readOnlyHint ? ONLY_READS : ACTS}`,
    inputSchema: inputSchema(isSpoken ? confirmingCallInput : callInput),
    annotations,
  };
}

function inputSchema(schema: Tool['input'] | typeof callInput): ObjectSchema {
  return { ...fillable(toJsonSchema(schema)), type: 'object' };
}
