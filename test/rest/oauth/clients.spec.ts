/** Clients of both SDKs connect by OAuth: registration, sign-in, consent, a call, a refresh and the end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ALL_SCOPES } from '../../../auth/oauth/scopes.ts';
import { createAccessTokens, type AccessTokens } from '../../../auth/oauth/provider/access-tokens.ts';
import { createProviderAccess } from '../../../auth/oauth/provider/provider-access.ts';
import { systemClock, type Clock } from '../../../domain/time/clock.ts';
import { Person, startOAuthSite, type OAuthSite } from '../../app/oauth-site.ts';
import { TOKENS } from '../../app/users.ts';
import { startIdentityProvider, type TestProvider } from '../../helpers/servers/identity-provider.ts';

const HOUR_MS = 3_600_000;
let site: OAuthSite<Clock>;

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
  let own: OAuthSite;
  before(async () => void (site = own = await startOAuthSite()));
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

      own.app.clock.advance(HOUR_MS);
      await client.callTool(call);
      const second = kept.tokens();
      assert.notEqual(second.access_token, first.access_token);
      assert.notEqual(second.refresh_token, first.refresh_token);

      const [row] = (await site.app.rows('listApiTokens', { fields: '*' })).filter((token) => token['client'] !== null);
      const { client_name, username, scope } = row!['client'] as Record<string, string>;
      assert.deepEqual([client_name, username, scope], ['Test assistant', 'admin', 'onair:operate']);
      const ask = async (method: string, path = '', token: string = TOKENS.admin): Promise<[number, any]> => {
        const reply = await site.api.send(method, `/security/assistants${path}`, { token });
        return [reply.status, await reply.json()];
      };
      const mine = `/${String(row!['kid'])}`;
      const [, listed] = await ask('GET');
      assert.deepEqual([listed.rows, listed.pagination.total], [[row], 1]);
      assert.deepEqual((await ask('GET', '', TOKENS.operator))[1].rows, []);
      assert.equal((await ask('DELETE', mine, TOKENS.operator))[0], 404);
      assert.deepEqual(await ask('DELETE', mine), [200, { data: { id: row!['id'], deleted: true } }]);
      for (const gone of [mine, '/%zz']) assert.equal((await ask('DELETE', gone))[0], 404);
      const [note] = await site.app.rows('getAuditLog', { operation: 'endAssistant' });
      assert.deepEqual([note!['user'], note!['resource_id']], ['admin', row!['id']]);
      kept.opened = undefined;
      await assert.rejects(client.callTool(call));
      assert.ok(kept.opened !== undefined, 'the client asks the person again');
      await client.close();
    });
  }
});

describe('clients of MCP connect by the authorization server of the deployment', () => {
  const roles = { roleClaim: 'roles', adminRole: 'bosses', operatorRole: 'operators' };
  let server: TestProvider;

  before(async () => {
    server = await startIdentityProvider('http://127.0.0.1:1/unused', {
      resource: () => mcpUrl().href,
      scopes: ALL_SCOPES,
      scope: () => 'onair:operate',
    });
    const { issuer } = server;
    site = await startOAuthSite(
      {},
      {
        clock: systemClock,
        provider: {
          issuer,
          access: ({ store, clock }, url) => {
            const tokens: AccessTokens = {
              prove: (token) => createAccessTokens({ issuer, resource: `${url()}/mcp` }).prove(token),
            };
            return createProviderAccess({ tokens, store, clock, ...roles });
          },
        },
      },
    );
  });
  after(async () => {
    await site.close();
    await server.close();
  });

  /** The browser of the person, who consents to everything; where it leaves the server. */
  async function consented(url: URL): Promise<URLSearchParams> {
    const cookies = new Map<string, string>();
    for (let next = url; ;) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
      for (const text of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/u.exec(text)!;
        cookies.set(name!, value!);
      }
      const location = response.headers.get('location');
      assert.ok(location !== null, `${response.status} ${await response.text()}`);
      next = new URL(location, next);
      if (next.origin !== url.origin) return next.searchParams;
    }
  }

  for (const { name, connect, finish } of GENERATIONS)
    it(`a client of ${name} is let in there with the role and the scope that it gives, and is out when its access is taken away`, async () => {
      const sub = `anna of ${name}`;
      server.account = { sub, preferred_username: 'anna', roles: ['operators'] };
      const kept = new Kept();
      await assert.rejects(connect(kept), 'nobody has let it in');
      assert.equal(kept.opened!.origin, server.issuer);
      assert.equal(kept.opened!.searchParams.get('resource'), mcpUrl().href);
      await finish(kept, await consented(kept.opened!));

      await assert.rejects(connect(kept), /may not connect assistants/u);
      const users = await site.app.rows('getAllUsers', { fields: '*', pageSize: 100 });
      const user = users.findLast(({ username }) => String(username).startsWith('anna'))!;
      assert.equal(user['user_role'], 2);
      await site.app.call('updateUserProfile', { userId: user['id'], api: true });

      const client = await connect(kept);
      const call = { name: 'call_tool', arguments: { operationId: 'getAllChannels', arguments: {} } };
      assert.notEqual(((await client.callTool(call)) as { isError?: boolean }).isError, true);
      const admins = { name: 'call_tool', arguments: { operationId: 'getAllUsers', arguments: {} } };
      assert.equal(((await client.callTool(admins)) as { isError?: boolean }).isError, true);
      const { access_token: token } = kept.tokens();
      assert.equal((await site.api.send('GET', '/channels', { token })).status, 401, 'it is for MCP alone');

      const tokens = await site.app.rows('listApiTokens', { fields: '*' });
      const row = tokens.find(({ client: of }) => (of as { username?: string } | null)?.username === user['username'])!;
      assert.equal((row['client'] as { scope: string }).scope, 'onair:operate');
      const audit = await site.app.rows('getAuditLog', { fields: '*', pageSize: 500 });
      const noted = audit
        .filter(({ token_kid }) => token_kid === row['kid'])
        .map(({ operation, via }) => `${operation} ${via}`);
      assert.ok(noted.includes('connectAssistant oauth'), noted.join());
      await site.app.call('revokeApiToken', { kid: row['kid'] });
      await assert.rejects(client.callTool(call));
      await client.close();
    });

  it('the server names it alone, and has no endpoints of its own', async () => {
    const get = async (path: string): Promise<{ status: number; body: any }> => {
      const response = await fetch(new URL(path, site.url));
      return { status: response.status, body: await response.json() };
    };
    const { body } = await get('/.well-known/oauth-protected-resource/mcp');
    assert.deepEqual([body.authorization_servers, body.resource], [[server.issuer], mcpUrl().href]);
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize', '/oauth/token'])
      assert.equal((await get(path)).status, 404, path);
  });
});
