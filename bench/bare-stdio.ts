/** The smallest SDK server on stdio: the baseline for the start and the calls of `onair mcp`. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';

const server = new Server({ name: 'bare', version: '0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
const result = JSON.parse(process.env['BENCH_RESULT'] ?? '{"content":[]}') as CallToolResult;
server.setRequestHandler(CallToolRequestSchema, () => result);
await server.connect(new StdioServerTransport());
