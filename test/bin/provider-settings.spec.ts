import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../bin/settings/config.ts';
import { openProviderSignIn } from '../../bin/server/provider-sign-in.ts';
import { AppError } from '../../domain/base/errors.ts';

const WHOLE = {
  ONAIR_OIDC_ISSUER: 'https://login.example.org/realms/studio',
  ONAIR_OIDC_CLIENT_ID: 'onair',
  ONAIR_OIDC_CLIENT_SECRET: 'secret',
  ONAIR_OIDC_OPERATOR_ROLE: 'operator',
};
const none = { XDG_CONFIG_HOME: '/nonexistent', XDG_DATA_HOME: '/nonexistent' };
const open = async (env: NodeJS.ProcessEnv): ReturnType<typeof openProviderSignIn> =>
  openProviderSignIn(loadConfig({}, { ...none, ...env }, '/'), {} as never);

test('the settings of an identity provider are whole or not there; what is missing is named', async () => {
  assert.equal(await open({}), undefined);
  assert.equal((await open(WHOLE))?.name, 'login.example.org');
  for (const variable of Object.keys(WHOLE))
    await assert.rejects(
      () => open({ ...WHOLE, [variable]: '' }),
      (error: unknown) =>
        error instanceof AppError && error.code === 'invalid_input' && error.message.includes(variable),
    );
});

test('the issuer is an https address, or an http one of this machine', async () => {
  for (const issuer of [
    'https://login.example.org',
    'http://127.0.0.1:8080/x',
    'http://localhost:9000',
    'http://[::1]:9',
  ])
    assert.ok(await open({ ...WHOLE, ONAIR_OIDC_ISSUER: issuer }), issuer);
  for (const issuer of [
    'http://login.example.org',
    'login.example.org',
    'https://login.example.org/?a=1',
    'ftp://127.0.0.1',
  ])
    await assert.rejects(() => open({ ...WHOLE, ONAIR_OIDC_ISSUER: issuer }), /ONAIR_OIDC_ISSUER must be/u, issuer);
});
