/**
 * The servers that bench/mcp.bench.ts compares, one a process: `product` is everything a call passes in `onair serve`, `bare` is the SDK's
 * stateful server with a result at hand. The process sends its port, then its CPU time in reply to any message.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Hono } from 'hono';
import { createMcpApi } from '../mcp/http.ts';
import { openProduct } from './product.ts';

async function product(token: string): Promise<number> {
  const { dispatcher, auth, profile } = await openProduct(token);
  const mcp = createMcpApi({ dispatcher, auth, profile, version: '0', openApi: () => '' });
  const app = new Hono();
  app.all('/mcp', (context) => mcp.answer(context.req.raw));
  app.get('/readyz', (context) => context.json({ status: 'ready', store: 'ok', timezone: dispatcher.timezone }));
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => resolve(port));
  });
}

async function bare(result: CallToolResult): Promise<number> {
  const sdk = new Server({ name: 'bare', version: '0' }, { capabilities: { tools: {} } });
  sdk.setRequestHandler(CallToolRequestSchema, () => result);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'bench', enableJsonResponse: true });
  await sdk.connect(transport);
  const http = createServer((request, response) => void transport.handleRequest(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return (http.address() as AddressInfo).port;
}

process.once('message', async ([kind, setting]: ['product', string] | ['bare', CallToolResult]) => {
  const port = kind === 'product' ? await product(setting) : await bare(setting);
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(port);
});
process.on('disconnect', () => process.exit(0));
