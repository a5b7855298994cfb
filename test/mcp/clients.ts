/** The four clients that a server meets, as one interface: v1, and v2 by default, probing, and pinned to the newest revision. */
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';

export const REVISIONS = {
  v1: '2025-11-25',
  'v2 default': '2025-11-25',
  'v2 auto': '2026-07-28',
  'v2 pinned': '2026-07-28',
} as const;
export type Kind = keyof typeof REVISIONS;
export const KINDS = Object.keys(REVISIONS) as Kind[];

export type Way =
  | { url: string; headers: Record<string, string> }
  | { command: string; args: string[]; env: Record<string, string>; cwd?: string };

export interface CallOptions {
  onprogress?: (step: { progress: number; total?: number; message?: string }) => void;
  signal?: AbortSignal;
  timeout?: number;
}

/** Answers as they come: tests compare them, whatever the SDK calls their types. */
export interface AnyClient {
  revision(): string | undefined;
  instructions(): string | undefined;
  listTools(): Promise<any>;
  callTool(name: string, args: object, meta?: object, options?: CallOptions): Promise<any>;
  listPrompts(): Promise<any>;
  getPrompt(name: string, args?: Record<string, string>): Promise<any>;
  listResources(): Promise<any>;
  listResourceTemplates(): Promise<any>;
  readResource(uri: string): Promise<any>;
  close(): Promise<void>;
}

export async function connectAs(kind: Kind, way: Way): Promise<AnyClient> {
  return kind === 'v1' ? connectV1(way) : connectV2(kind, way);
}

const WHO = { name: 'interop', version: '0' };

async function connectV1(way: Way): Promise<AnyClient> {
  const client = new ClientV1(WHO);
  let revision: string | undefined;
  const transport =
    'url' in way
      ? new HttpV1(new URL(way.url), { requestInit: { headers: way.headers } })
      : new StdioV1({ ...way, stderr: 'pipe' });
  // What was agreed on is told to the transport alone.
  Object.assign(transport, { setProtocolVersion: (version: string) => (revision = version) });
  await client.connect(transport);
  return {
    revision: () => revision,
    instructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (name, args, meta, options) => client.callTool(frame(name, args, meta), undefined, options),
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  };
}

const MODES = { 'v2 default': undefined, 'v2 auto': 'auto', 'v2 pinned': { pin: '2026-07-28' } } as const;

async function connectV2(kind: keyof typeof MODES, way: Way): Promise<AnyClient> {
  const mode = MODES[kind];
  const client = new ClientV2(WHO, mode === undefined ? {} : { versionNegotiation: { mode } });
  const transport =
    'url' in way
      ? new HttpV2(new URL(way.url), { requestInit: { headers: way.headers } })
      : new StdioV2({ ...way, stderr: 'pipe' });
  await client.connect(transport);
  return {
    revision: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (name, args, meta, options) => client.callTool(frame(name, args, meta), options),
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args = {}) => client.getPrompt({ name, arguments: args }),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: (uri) => client.readResource({ uri }),
    close: () => client.close(),
  };
}

function frame(name: string, args: object, meta: object | undefined): { name: string; arguments: any } {
  return { name, arguments: args, ...(meta && { _meta: meta }) };
}
