/** The MCP API of the test application on a server of node, and clients of it. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { createMcpApi, type McpHttpDeps } from '../../mcp/http.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { openApiDocument } from '../../rest/openapi/openapi.ts';
import { catalogue, startTestApp, type TestApp } from './test-app.ts';
import { addTokens, TOKENS, type TokenOwner } from './users.ts';
import { TestClient } from '../helpers/mcp-client.ts';

export interface McpApi extends TestApp<Clock> {
  url: string;
  /** A real client of the SDK, which ends with the API. */
  client(who?: TokenOwner, headers?: Record<string, string>): Promise<Client>;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export async function startMcpApi(
  profileName?: string,
  options: Partial<McpHttpDeps> & { port?: number; app?: TestApp<Clock> } = {},
): Promise<McpApi> {
  const app = options.app ?? (await startTestApp({ clock: systemClock }));
  const { dispatcher, auth } = app;
  await addTokens(app.store, app.users);
  const mcp = createMcpApi({
    dispatcher,
    auth,
    profile: profileByName(profileName),
    version: '0.0.0-test',
    openApi: () => JSON.stringify(openApiDocument(catalogue, { version: '0.0.0-test' })),
    ...options,
  });
  // `onair serve` has this time too: a test that computes for seconds comes back to a connection that is still there.
  const server = createServer(
    { keepAliveTimeout: 60_000 },
    getRequestListener((request) => mcp.answer(request)),
  );
  const url = await listen(server, options.port ?? 0);
  const clients: Client[] = [];
  return {
    ...app,
    url,
    async client(who = 'admin', headers = {}) {
      const client = new TestClient();
      const requestInit = { headers: { authorization: `Bearer ${TOKENS[who]}`, ...headers } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      clients.push(client);
      return client;
    },
    post: (body, headers = {}) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKENS.admin}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async close() {
      for (const client of clients) await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (options.app === undefined) await app.close();
    },
  };
}

function listen(server: HttpServer, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

/** The sentence that stands first. */
export function sentenceOf(result: unknown): string {
  return textOf(result).split('\n')[0]!;
}

/** All texts of a result. */
export function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');
}

export function structured(result: unknown): Record<string, any> {
  return (result as { structuredContent: Record<string, unknown> }).structuredContent;
}
