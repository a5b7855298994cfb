import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { configFolder } from '../../bin/settings/config-folder.ts';
import { loadConfig, strayVariables } from '../../bin/settings/config.ts';
import { SETTINGS } from '../../bin/settings/settings.ts';
import { noteCertificate, resolveTarget, writeCredential } from '../../bin/settings/credentials.ts';
import { AppError } from '../../domain/base/errors.ts';
import { wordsOf } from '../helpers/words.ts';

describe('settings', () => {
  let dir: string;
  before(() => void (dir = mkdtempSync(join(tmpdir(), 'onair-settings-'))));
  after(() => rmSync(dir, { recursive: true }));

  const refusal = (flags: object, env: NodeJS.ProcessEnv): string => {
    try {
      loadConfig(flags as Record<string, unknown>, { XDG_CONFIG_HOME: join(dir, 'none'), ...env }, dir);
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'invalid_input');
      return error.message;
    }
    return assert.fail('taken');
  };
  const file = (content: object): string => {
    const path = join(dir, 'settings.json');
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  it('settings come from flags over environment over the file that is named', () => {
    const config = file({ port: 1, host: 'file', timezone: 'Europe/Zurich' });
    const env = { ONAIR_PORT: '2', ONAIR_HOST: 'environment' };
    const { port, host, timezone } = loadConfig({ port: '3', config }, env, dir);
    assert.deepEqual([port, host, timezone], [3, 'environment', 'Europe/Zurich']);
  });

  it('each setting that nobody has chosen has the value that docs/settings.md says', () => {
    const config = loadConfig({ port: undefined }, { XDG_CONFIG_HOME: join(dir, 'none') }, dir) as object;
    for (const [name, { initial }] of Object.entries(SETTINGS))
      if ('value' in initial) assert.equal((config as Record<string, unknown>)[name], initial.value, name);
  });

  it('settings come from the caller’s own file where none is named, and the answer says which file that was', () => {
    const own = join(dir, 'config', 'onair');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'config.json'), JSON.stringify({ port: 4, data: 'rows' }));
    const read: string[] = [];
    const env = { XDG_CONFIG_HOME: join(dir, 'config') };
    const { port, data } = loadConfig({}, env, dir, (path) => read.push(path));
    assert.deepEqual([port, data], [4, join(own, 'rows')], 'a folder in the file is relative to the file');
    assert.deepEqual(read, [join(own, 'config.json')]);
  });

  it('settings never come from the working directory', () => {
    for (const name of ['onair.config.json', 'config.json'])
      writeFileSync(join(dir, name), JSON.stringify({ port: 5, host: '0.0.0.0', bootstrapToken: 'x'.repeat(24) }));
    const read: string[] = [];
    const { port, host, bootstrapToken } = loadConfig({}, { XDG_CONFIG_HOME: join(dir, 'none') }, dir, (path) =>
      read.push(path),
    );
    assert.deepEqual([port, host, bootstrapToken, read], [8090, '127.0.0.1', undefined, []]);
  });

  it('settings and data are never below the working directory by a relative XDG folder; ONAIR_DATA is the caller’s choice', () => {
    for (const relative of ['.config', './x', 'x/y', '..', '~/x']) {
      const xdg = { XDG_CONFIG_HOME: relative, XDG_DATA_HOME: relative };
      assert.equal(configFolder(xdg), join(homedir(), '.config', 'onair'));
      const none = { ...xdg, XDG_CONFIG_HOME: join(dir, 'none') };
      assert.equal(loadConfig({}, none, dir).data, join(homedir(), '.local', 'share', 'onair'));
      assert.equal(loadConfig({}, { ...none, ONAIR_DATA: 'rows' }, dir).data, join(dir, 'rows'));
    }
  });

  it('the refusal of a list of networks names the item that is no network, and the source of the setting', () => {
    const ok = loadConfig(
      {},
      { XDG_CONFIG_HOME: join(dir, 'none'), ONAIR_SOURCE_NETWORKS: '!10.0.0.0/8, fd00::/8' },
      dir,
    );
    assert.equal(ok.sourceNetworks, '!10.0.0.0/8, fd00::/8');
    assert.match(
      refusal({}, { ONAIR_SOURCE_NETWORKS: '10.0.0.0/8,lan' }),
      /the environment: ONAIR_SOURCE_NETWORKS "lan" is no network/u,
    );
    assert.match(
      refusal({ config: file({ sourceNetworks: '10.0.0.1/8' }) }, {}),
      /settings\.json: sourceNetworks "10\.0\.0\.1\/8" has bits behind/u,
    );
  });

  it('the host localhost is the address 127.0.0.1 in the settings', () => {
    const env = { XDG_CONFIG_HOME: join(dir, 'none'), ONAIR_HOST: 'localhost' };
    assert.equal(loadConfig({}, env, dir).host, '127.0.0.1');
  });

  it('settings with half of a certificate, or a redirect to none, are refused with the missing one named', () => {
    assert.match(refusal({}, { ONAIR_TLS_CERT: 'cert.pem' }), /ONAIR_TLS_KEY is missing/u);
    assert.match(refusal({}, { ONAIR_TLS_KEY: 'key.pem' }), /ONAIR_TLS_CERT is missing/u);
    assert.match(refusal({}, { ONAIR_HTTP_PORT: '80' }), /ONAIR_TLS_CERT is missing/u);
    const config = file({ tlsCert: 'tls/cert.pem', tlsKey: '/keys/key.pem', httpPort: 80 });
    const { tlsCert, tlsKey } = loadConfig({ config }, {}, '/');
    assert.deepEqual([tlsCert, tlsKey], [join(dir, 'tls', 'cert.pem'), '/keys/key.pem'], 'relative to the file');
  });

  it('settings are refused where the file that is named is not there', () => {
    assert.match(refusal({ config: 'nowhere.json' }, {}), /nowhere\.json cannot be read/u);
  });

  it('settings that do not exist, or have a value that does not, are refused with the valid ones', () => {
    assert.match(refusal({}, { TOOL_PROFILE: 'loud' }), /TOOL_PROFILE must be one of voice, readonly, operator, full/u);
    assert.match(refusal({ prot: 1 }, {}), /command line: prot is not a setting\. Valid settings: data, host, port/u);
    const config = file({ prot: 1 });
    assert.match(refusal({ config }, {}), /settings\.json: prot is not a setting\. Valid settings: data, host, port/u);
  });

  it('variables of the environment that are a slip of a setting are refused, and the setting is named', () => {
    for (const slip of ['ONAIR_TIMZONE', 'ONAIR_TIMEZONES', 'ONAIR_TIMEZOME', 'ONAIR_TIMEZOEN'])
      assert.match(
        refusal({}, { [slip]: 'Europe/Paris' }),
        new RegExp(`${slip} is not a setting; ONAIR_TIMEZONE is`, 'u'),
      );
    for (const [slip, meant] of [
      ['TOOL_PROFIL', 'TOOL_PROFILE'],
      ['ONAIRDATA', 'ONAIR_DATA'],
      ['onair_timezone', 'ONAIR_TIMEZONE'],
      ['Onair_Timzone', 'ONAIR_TIMEZONE'],
      ['NAIR_PORT', 'ONAIR_PORT'],
    ] as const)
      assert.match(refusal({}, { [slip]: '1' }), new RegExp(`: ${slip} is not a setting; ${meant} is\\.`, 'u'));
  });

  it('variables of the environment that belong to other programs are ignored', () => {
    const foreign = wordsOf('PORT HOST TZ PROFILE TOOL TOOLS_PROFILE_DIR AIR_DATA DATA ONAIR OPENAI_URL');
    const orchestrated = ['ONAIR_SERVICE_PORT', 'ONAIR_PORT_8090_TCP', 'ONAIR_PORT_8090_TCP_ADDR', 'onair_version'];
    const env = Object.fromEntries([...foreign, ...orchestrated].map((name) => [name, 'x']));
    assert.equal(loadConfig({}, { ...env, XDG_CONFIG_HOME: join(dir, 'none') }, dir).port, 8090);
    assert.match(strayVariables(env) ?? '', /such setting: ONAIR_SERVICE_PORT, .*, onair_version\./u);
  });

  it('settings name the proxies that are trusted as addresses and networks, and nothing else', () => {
    const list = '127.0.0.1, ::1,10.0.0.0/8';
    assert.equal(loadConfig({}, { ONAIR_TRUSTED_PROXIES: list }, dir).trustedProxies, list);
    assert.match(refusal({}, { ONAIR_TRUSTED_PROXIES: 'proxy.example' }), /ONAIR_TRUSTED_PROXIES must be addresses/u);
  });

  it('variables of the environment that do not exist otherwise are named, with those that do', () => {
    assert.equal(strayVariables({ ONAIR_PORT: '1', ONAIR_URL: 'u', TOOL_PROFILE: 'voice', OTHER: 'x' }), undefined);
    const stray = { ONAIR_PROFILE: 'readonly', ONAIR_SERVICE_HOST: '10.0.0.1' };
    assert.equal(loadConfig({}, { ...stray, XDG_CONFIG_HOME: join(dir, 'none') }, dir).port, 8090);
    assert.match(strayVariables(stray) ?? '', /ONAIR_PROFILE, ONAIR_SERVICE_HOST\. Valid settings: .*TOOL_PROFILE/u);
  });

  it('the refusal of a port variable that Kubernetes has set says so', () => {
    assert.match(
      refusal({}, { ONAIR_PORT: 'tcp://10.0.0.1:8090' }),
      /not tcp:\/\/10\.0\.0\.1:8090: Kubernetes sets this/u,
    );
  });
});

describe('a token of the environment', () => {
  let dir: string;
  const URL_OF_OURS = 'http://127.0.0.1:8090';
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'onair-credentials-'));
    writeCredential(URL_OF_OURS, 'kept', { XDG_CONFIG_HOME: dir });
  });
  after(() => rmSync(dir, { recursive: true }));
  const targetOf = (local: { host: string; port: number; tlsCert?: string }, env: NodeJS.ProcessEnv) =>
    resolveTarget(local, { XDG_CONFIG_HOME: dir, ...env });
  const foundFor = (...target: Parameters<typeof targetOf>): { url: string; token: string | undefined } => {
    const { url, token } = targetOf(...target);
    return { url, token };
  };

  it('a token of the environment goes where ONAIR_URL says', () => {
    const env = { ONAIR_TOKEN: 'mine', ONAIR_URL: 'https://live.example/' };
    assert.deepEqual(foundFor({ host: '127.0.0.1', port: 1 }, env), { url: 'https://live.example', token: 'mine' });
  });

  it('a token of the environment goes without ONAIR_URL to a known server of this machine alone', () => {
    const env = { ONAIR_TOKEN: 'mine' };
    for (const host of ['127.0.0.1', '0.0.0.0'])
      assert.deepEqual(foundFor({ host, port: 8090 }, env), { url: URL_OF_OURS, token: 'mine' });
    for (const [host, port] of [
      ['127.0.0.1', 21801],
      ['203.0.113.7', 8090],
    ] as const)
      assert.throws(() => targetOf({ host, port }, env), /the token is not sent there/u);
  });

  it('a server that has come to speak TLS keeps its token, and is found with its certificate under either scheme', () => {
    const own = { XDG_CONFIG_HOME: dir };
    writeCredential('http://127.0.0.1:8097', 'moved', own);
    noteCertificate('https://127.0.0.1:8097', 'PEM', own);
    const secure = { url: 'https://127.0.0.1:8097', token: 'moved' };
    assert.deepEqual(targetOf({ host: '127.0.0.1', port: 8097 }, {}), secure, 'settings that know nothing of TLS');
    assert.deepEqual(targetOf({ host: '0.0.0.0', port: 8097, tlsCert: '/none' }, {}), secure);
    noteCertificate('http://127.0.0.1:8097', undefined, own);
    const plain = { url: 'http://127.0.0.1:8097', token: 'moved' };
    assert.deepEqual(targetOf({ host: '127.0.0.1', port: 8097, tlsCert: '/none' }, {}), plain);
    noteCertificate('https://127.0.0.1:8098', 'PEM', own);
    assert.equal(
      targetOf({ host: '127.0.0.1', port: 8098 }, {}).token,
      undefined,
      'a server that nobody has a token for',
    );
  });

  it('a token is found under each loopback address of the server, at the one that is kept', () => {
    for (const host of ['::', '0.0.0.0', '::1', '127.0.0.1'])
      assert.deepEqual(foundFor({ host, port: 8090 }, {}), { url: URL_OF_OURS, token: 'kept' }, host);
    const named = { ONAIR_URL: 'http://localhost:8090' };
    assert.deepEqual(foundFor({ host: '127.0.0.1', port: 1 }, named), { url: named.ONAIR_URL, token: 'kept' });
    for (const url of ['http://localhost:8091', 'https://localhost:8090', 'http://live.example:8090', 'nowhere'])
      assert.deepEqual(foundFor({ host: '127.0.0.1', port: 1 }, { ONAIR_URL: url }), { url, token: undefined }, url);
    writeCredential('http://[::1]:8095', 'six', { XDG_CONFIG_HOME: dir });
    assert.deepEqual(foundFor({ host: '127.0.0.1', port: 8095 }, {}), { url: 'http://[::1]:8095', token: 'six' });
  });

  it('a token of the environment is not needed where the credentials file has one', () => {
    assert.deepEqual(foundFor({ host: '127.0.0.1', port: 8090 }, {}), { url: URL_OF_OURS, token: 'kept' });
  });
});
