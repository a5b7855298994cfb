import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { CloudAccount } from '../../domain/shapes/devices/cloud-account.ts';
import type { AppError } from '../../domain/base/errors.ts';
import { NOT_VALIDATED } from '../../domain/base/validation.ts';
import { checkCloudAccount } from '../../integrations/cloud/account.ts';
import { Platform } from '../../integrations/cloud/platform.ts';
import { closed } from '../helpers/servers/key-server.ts';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, listen, startRestApp } from '../rest/rest-app.ts';

const signal = (): AbortSignal => new AbortController().signal;

function accountOf(fields: Partial<CloudAccount> = {}): CloudAccount {
  const stamps = { id: 1, created_at: '', updated_at: '', ...NOT_VALIDATED };
  return { ...stamps, client: 'Station', client_id: '2', enabled: true, password: TOKENS.operator, ...fields };
}

async function reason(url: string | undefined, fields: Partial<CloudAccount> = {}): Promise<string> {
  const account = accountOf(fields);
  const finding = await checkCloudAccount(url, account, signal());
  assert.ok(!finding.valid, 'was found valid');
  assert.ok(!finding.reason.includes(account.password), finding.reason);
  return finding.reason;
}

describe('a Cloud account at another deployment of this service', () => {
  let api: RestTestApp;
  let platform: { url: string; close(): Promise<void> };
  before(async () => {
    api = await startRestApp();
    platform = await listen(api.rest);
  });
  after(async () => {
    await platform.close();
    await api.close();
  });

  it('a Cloud account at another deployment is valid when the token is one of the user named', async () => {
    assert.deepEqual(await checkCloudAccount(platform.url, accountOf(), signal()), { valid: true });
    assert.deepEqual(await checkCloudAccount(`${platform.url}/`, accountOf(), signal()), { valid: true });
  });

  it('a Cloud account at another deployment does once what is asked of it under one key', async () => {
    const caller = new Platform({ cloudUrl: platform.url, password: TOKENS.operator });
    const ask = (key: string | undefined, name: string): Promise<{ data: { id: number } }> =>
      caller.keyed(key).call('POST', '/channels', {
        body: { name, type: 'Stream', settings: { url: 'http://127.0.0.1:9/live.m3u8' } },
      });
    const first = await ask('change 1', 'Once');
    assert.equal((await ask('change 1', 'Once')).data.id, first.data.id);
    await assert.rejects(ask(undefined, 'Once'), { code: 'conflict' });
  });

  it('a Cloud account gives a refusal of its platform under upstream alone, and its code where it is one of ours', async () => {
    const caller = new Platform({ cloudUrl: platform.url, password: TOKENS.operator });
    const { host } = new URL(platform.url);
    const detail = (status: number): string => `The cloud platform at ${host} answered ${status}.`;
    const refused = async (code: string, status: number, upstream: RegExp, call: Promise<unknown>): Promise<void> =>
      assert.rejects(call, (error: AppError) => {
        assert.deepEqual([error.code, error.message], [code, detail(status)]);
        assert.match(error.extras.upstream ?? '', upstream);
        return true;
      });
    await refused('not_found', 404, /^There is no Channel 999\.$/u, caller.call('GET', '/channels/999'));
    await refused('invalid_input', 400, /name/u, caller.call('POST', '/channels', { body: { type: 'Stream' } }));
    const stranger = new Platform({ cloudUrl: platform.url, password: 'canary-unknown-token' });
    await refused('upstream_failed', 401, /./u, stranger.call('GET', '/channels'));
  });

  it('a Cloud account is invalid with the token of another user, or with none that is known', async () => {
    assert.match(await reason(platform.url, { client_id: '1' }), /token of user 2 \(operator\).*not of user 1;/u);
    assert.match(
      await reason(platform.url, { password: 'canary-unknown-token' }),
      /refuses the password \(HTTP 401\)/u,
    );
  });

  it('a Cloud account is invalid while disabled, or without a platform: nothing is sent', async () => {
    assert.match(await reason(platform.url, { enabled: false }), /disabled/u);
    assert.match(await reason(undefined), /ONAIR_CLOUD_URL/u);
  });

  it('a Cloud account is invalid when the user is not active any more', async () => {
    const { row } = (await api.store.get('users', 1)) ?? assert.fail();
    await api.store.tx((tx) => tx.put('users', { ...row, active: false }));
    assert.match(await reason(platform.url, { client_id: '1', password: TOKENS.admin }), /HTTP 401.*not active/u);
  });
});

describe('a Cloud account at another service', () => {
  let server: Server;
  let url: string;
  let answers: Record<string, [number, string]>;
  before(async () => {
    server = createServer((request, response) => {
      const [status, text] = answers[request.url ?? ''] ?? [404, '{}'];
      response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => closed(server));
  const ME = '/svcapiv2/security/me';
  const READ = '/svcapiv2/livestreams?pageSize=1';

  it('a Cloud account is tried by a read that any role may do where the platform does not tell who calls', async () => {
    answers = { [READ]: [200, '{"rows":[]}'] };
    assert.deepEqual(await checkCloudAccount(url, accountOf(), signal()), { valid: true });
    answers = { [READ]: [401, '{}'] };
    assert.match(await reason(url), /HTTP 401/u);
  });

  it('a Cloud account is invalid where another service answers', async () => {
    answers = {};
    assert.match(await reason(url), /does not speak this API.*ONAIR_CLOUD_URL/u);
    answers = { [ME]: [200, '<html>Welcome</html>'] };
    assert.match(await reason(url), /does not tell who its caller is/u);
    answers = { [ME]: [302, ''] };
    assert.match(await reason(url), /redirects to http:\/\/127\.0\.0\.1:1;/u);
    answers = { [ME]: [500, `broken for Bearer ${TOKENS.operator}\n\u001b[31m`] };
    assert.match(await reason(url), /HTTP 500\)\. It said: broken for Bearer \*\*\*\* \[31m$/u);
    await closed(server);
    assert.match(await reason(url), /refuses connections|closed the connection/u);
  });
});
