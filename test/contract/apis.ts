/** The four doors of one running service. Each takes an operation's flat arguments and answers in the same shape. */
import { execFile } from 'node:child_process';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { onair } from '../helpers/cli.ts';
import { countOf } from '../helpers/counts.ts';
import { PROGRAM, type Service } from '../helpers/service.ts';
import { TestClient } from '../helpers/mcp-client.ts';

export type Args = Record<string, unknown>;

export interface Outcome {
  /** Code of the problem; undefined for a success. */
  code: string | undefined;
  /** The answer, or the problem; the CLI tells no more of a problem than its code and its text. */
  body: any;
}

export interface RestOutcome extends Outcome {
  status: number;
  headers: Headers;
}

/** Nothing here takes a second; a machine with much else to do is given time. */
const BOUND_MS = 120_000;

export const APIS = ['REST', 'MCP by its name', 'MCP call_tool', 'CLI'] as const;
export type Api = (typeof APIS)[number];

export interface Apis {
  rest(
    tool: Tool,
    args: Args,
    options?: { token?: string | null; headers?: Record<string, string> },
  ): Promise<RestOutcome>;
  call(api: Api, tool: Tool, args: Args): Promise<Outcome>;
  close(): Promise<void>;
}

/** `seen` gets every answer as it came, word for word. */
export async function openApis(service: Service, token: string, seen: string[]): Promise<Apis> {
  const client = new TestClient('contract');
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));

  const cli = openCli(service, token, seen);

  const rest: Apis['rest'] = async (tool, args, options = {}) => {
    const { path, body } = requestOf(tool, args);
    const bearer = options.token === undefined ? token : options.token;
    const response = await fetch(`${service.url}/svcapiv2${path}`, {
      method: routeOf(tool).method,
      headers: {
        accept: 'application/json',
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(BOUND_MS),
    });
    const text = await response.text();
    seen.push(text);
    const answer = JSON.parse(text) as { code?: string };
    return {
      status: response.status,
      headers: response.headers,
      code: response.ok ? undefined : answer.code,
      body: answer,
    };
  };

  async function mcp(name: string, args: Args): Promise<Outcome> {
    const result = await client.callTool({ name, arguments: args });
    seen.push(JSON.stringify(result));
    const body = result.structuredContent as { code?: string };
    return { code: result.isError === true ? body.code : undefined, body };
  }

  return {
    rest,
    call(api, tool, args) {
      if (api === 'REST') return rest(tool, args);
      if (api === 'CLI') return cli.call(tool, args);
      return api === 'MCP call_tool'
        ? mcp('call_tool', { operationId: tool.name, arguments: args })
        : mcp(tool.name, args);
    },
    async close() {
      await client.close();
    },
  };
}

/** Path with its query, and the JSON body of an operation that takes one. */
export function requestOf(tool: Tool, args: Args): { path: string; body: string | undefined } {
  const route = routeOf(tool);
  const others = Object.entries(args).filter(([name]) => !route.params.includes(name));
  // UTF-8 has no lone surrogate: a path carries a replacement character in its place, as a browser would send it.
  const segment = (value: unknown): string => encodeURIComponent(Buffer.from(String(value)).toString());
  const path = route.path.replace(/\{(\w+)\}/gu, (_, name: string) => segment(args[name]));
  if (route.method !== 'GET' && route.method !== 'DELETE')
    return { path, body: JSON.stringify(Object.fromEntries(others)) };
  const query = new URLSearchParams(others.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return { path: query === '' ? path : `${path}?${query}`, body: undefined };
}

/**
 * The CLI. A start of the program takes a hundred times as long as the call: so each fortieth call, and before a release each tenth, is made
 * by a process of its own, and the others by one process that runs them one after the other.
 */
function openCli(
  service: Service,
  token: string,
  seen: string[],
): { call: (tool: Tool, args: Args) => Promise<Outcome> } {
  const env = { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: token };
  let calls = 0;
  return {
    async call(tool, args) {
      const words = ['call', tool.name, JSON.stringify(args)];
      calls += 1;
      const { stdout, stderr, code: exitCode } = await (calls % countOf(40, 10) === 1 ? inProcess : onair)(words, env);
      seen.push(stdout, stderr);
      if (exitCode === 0) return { code: undefined, body: JSON.parse(stdout) as unknown };
      const code = /^ {2}(?!upstream:)([a-z_]+): /mu.exec(stderr)?.[1];
      if (code === undefined) throw new Error(`${tool.name} by the CLI: ${stderr}`);
      return { code, body: { detail: stderr } };
    },
  };
}

function inProcess(words: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; stdout: string; stderr: string }> {
  const options = { env, timeout: BOUND_MS, maxBuffer: 16 * 1024 ** 2 };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...words], options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, code: error === null ? 0 : 1 }),
    );
  });
}
