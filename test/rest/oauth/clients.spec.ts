/** Clients of both SDKs connect by OAuth: registration, sign-in, consent, a call, a refresh and the end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Person, startOAuthSite, type OAuthSite } from '../../app/oauth-site.ts';

const HOUR_MS = 3_600_000;
let site: OAuthSite;

/** The things that an assistant keeps of one server, as the SDKs ask for it. */
class Kept {
  readonly redirectUrl = 'http://127.0.0.1:4455/callback';
  readonly clientMetadata = { client_name: 'Test assistant', redirect_uris: [this.redirectUrl] };
  private information: any;
  private given: any;
  private verifier = '';
  /** The address that the person is sent to. */
  opened: URL | undefined;

  state = (): string => 'a state of the client';
  clientInformation = (): any => this.information;
  saveClientInformation = (information: unknown): void => void (this.information = information);
  tokens = (): any => this.given;
  saveTokens = (tokens: unknown): void => void (this.given = tokens);
  redirectToAuthorization = (url: URL): void => void (this.opened = url);
  saveCodeVerifier = (verifier: string): void => void (this.verifier = verifier);
  codeVerifier = (): string => this.verifier;
}

/** The part of the two SDKs that is the same. */
interface AnyClient {
  callTool(call: { name: string; arguments: object }): Promise<unknown>;
  close(): Promise<void>;
}

interface Generation {
  name: string;
  connect(kept: Kept): Promise<AnyClient>;
  finish(kept: Kept, callback: URLSearchParams): Promise<void>;
}

const mcpUrl = (): URL => new URL(`${site.url}/mcp`);
const GENERATIONS: readonly Generation[] = [
  {
    name: 'SDK 1',
    async connect(authProvider) {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(mcpUrl(), { authProvider }));
      return client as AnyClient;
    },
    finish: (authProvider, callback) =>
      new StreamableHTTPClientTransport(mcpUrl(), { authProvider }).finishAuth(callback.get('code')!),
  },
  {
    name: 'SDK 2',
    async connect(authProvider) {
      const client = new ClientV2({ name: 'test', version: '1' });
      await client.connect(new HttpV2(mcpUrl(), { authProvider }));
      return client as AnyClient;
    },
    finish: (authProvider, callback) => new HttpV2(mcpUrl(), { authProvider }).finishAuth(callback),
  },
];

describe('clients of MCP connect by OAuth', () => {
  before(async () => void (site = await startOAuthSite()));
  after(() => site.close());

  for (const { name, connect, finish } of GENERATIONS) {
    it(`a client of ${name} registers itself, is let in by a person, refreshes its access, and is out when its token is revoked`, async () => {
      const kept = new Kept();
      await assert.rejects(connect(kept), 'nobody has let it in');
      const sent = kept.opened!;
      assert.deepEqual(
        [sent.origin + sent.pathname, sent.searchParams.get('resource')],
        [`${site.url}/oauth/authorize`, mcpUrl().href],
      );
      const callback = await new Person(site.url).allow(sent.href, { profile: 'operator' });
      assert.equal(callback.searchParams.get('state'), 'a state of the client');
      await finish(kept, callback.searchParams);
      const first = kept.tokens();
      assert.equal(first.scope, 'onair:operate');

      const client = await connect(kept);
      const create = { operationId: 'addUserGroup', arguments: { name: 'x' } };
      const call = { name: 'call_tool', arguments: { operationId: 'getAllChannels', arguments: {} } };
      assert.notEqual(((await client.callTool(call)) as { isError?: boolean }).isError, true);
      await assert.rejects(
        client.callTool({ name: 'call_tool', arguments: create }),
        'an Administrator’s tool needs another scope',
      );

      site.app.clock.advance(HOUR_MS);
      await client.callTool(call);
      const second = kept.tokens();
      assert.notEqual(second.access_token, first.access_token);
      assert.notEqual(second.refresh_token, first.refresh_token);

      const [row] = (await site.app.rows('listApiTokens', { fields: '*' })).filter((token) => token['client'] !== null);
      const { client_name, username, scope } = row!['client'] as Record<string, string>;
      assert.deepEqual([client_name, username, scope], ['Test assistant', 'admin', 'onair:operate']);
      await site.app.call('revokeApiToken', { kid: row!['kid'] });
      kept.opened = undefined;
      await assert.rejects(client.callTool(call));
      assert.ok(kept.opened !== undefined, 'the client asks the person again');
      await client.close();
    });
  }
});
