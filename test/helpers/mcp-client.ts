import { Client } from '@modelcontextprotocol/sdk/client/index.js';

/** The SDK gives up after a minute; on a busy machine a clip takes longer. */
const BOUND_MS = 300_000;

/** An MCP client that waits for what takes long. */
export class TestClient extends Client {
  constructor(name = 'test') {
    super({ name, version: '1.0.0' });
  }

  override request: Client['request'] = (request, schema, options) =>
    super.request(request, schema, { timeout: BOUND_MS, ...options });
}
