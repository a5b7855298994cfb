import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { diagnose } from '../../bin/doctor/doctor.ts';
import { ALARM_CHECKS, type Finding } from '../../domain/shapes/installation/finding.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { itLong } from '../helpers/counts.ts';
import { onair } from '../helpers/cli.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { freePort } from '../helpers/ports.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { wordsOf } from '../helpers/words.ts';

interface Answer {
  code: number;
  stdout: string;
  findings: Finding[];
}

async function doctor(env: NodeJS.ProcessEnv, words: readonly string[] = ['-o', 'json']): Promise<Answer> {
  const { code, stdout } = await onair(['doctor', ...words], env);
  return { code, stdout, findings: words.includes('json') ? (JSON.parse(stdout) as Finding[]) : [] };
}

async function machine(t: TestContext): Promise<NodeJS.ProcessEnv & { ONAIR_DATA: string }> {
  const dir = testFolder(t, 'doctor');
  const { NODE_OPTIONS: _options, ...own } = process.env;
  return { ...own, ONAIR_DATA: join(dir, 'data'), ONAIR_PORT: String(await freePort()), XDG_CONFIG_HOME: dir };
}

function stateOf({ findings }: Answer, check: string): string {
  return findings.find((finding) => finding.check === check)?.state ?? `no ${check}`;
}

/** A self-signed certificate and its key. */
function pair(dir: string, days: number): { ONAIR_TLS_CERT: string; ONAIR_TLS_KEY: string } {
  mkdirSync(dir, { recursive: true });
  const { key, certificate } = selfSigned(dir, undefined, days);
  return { ONAIR_TLS_CERT: certificate, ONAIR_TLS_KEY: key };
}

describe('onair doctor', () => {
  it('without a server it looks at everything, each finding with its remedy, and exits with 0 where broadcasts could work', async (t) => {
    const env = await machine(t);
    const answer = await doctor(env);
    assert.equal(answer.code, 0, answer.stdout);
    const checks = answer.findings.map(({ check }) => check);
    for (const check of wordsOf(
      'settings credentials node ffmpeg ffprobe util-linux data store disk server ports clock certificate',
    ))
      assert.ok(checks.includes(check), check);
    for (const finding of answer.findings) {
      assert.deepEqual(Object.keys(finding), ['check', 'state', 'detail', 'remedy', 'since']);
      assert.equal(finding.remedy === '', finding.state === 'ok', finding.check);
    }
    assert.equal(stateOf(answer, 'server'), 'warning');
    const text = await doctor(env, []);
    assert.match(text.stdout, /^CHECK +STATE +DETAIL +REMEDY\n/u);
  });

  it('what keeps broadcasts from working is an error, and the exit code 1: no ffmpeg, a port that is taken, a store of a newer version', async (t) => {
    const env = await machine(t);
    const taken = createServer().listen(0, '127.0.0.1');
    cleanUp(t, () => taken.close());
    await once(taken, 'listening');
    const dir = join(env.ONAIR_DATA, 'store');
    const migrations = { [SCHEMA_VERSION]: () => undefined };
    cpSync(fileURLToPath(new URL(`../store/fixtures/version-${SCHEMA_VERSION}`, import.meta.url)), dir, {
      recursive: true,
    });
    await (await openStore({ kind: 'lowdb', dir, schemaVersion: SCHEMA_VERSION + 1, migrations })).close();
    const port = String((taken.address() as AddressInfo).port);
    const answer = await doctor({ ...env, ONAIR_FFMPEG: '/no/ffmpeg', ONAIR_PORT: port });
    assert.equal(answer.code, 1);
    for (const check of ['ffmpeg', 'ports', 'store']) assert.equal(stateOf(answer, check), 'error', check);
    const refused = await doctor({ ...env, ONAIR_PORT: 'eighty' });
    assert.equal(refused.code, 1);
    assert.equal(stateOf(refused, 'settings'), 'error');
  });

  itLong('a certificate is a warning when it ends soon, and an error when it has no key that fits', async (t) => {
    const env = await machine(t);
    const soon = pair(join(env.ONAIR_DATA, '..', 'soon'), 5);
    const late = pair(join(env.ONAIR_DATA, '..', 'late'), 80);
    assert.equal(stateOf(await doctor({ ...env, ...late }), 'certificate'), 'ok');
    assert.equal(stateOf(await doctor({ ...env, ...soon }), 'certificate'), 'warning');
    const mixed = await doctor({ ...env, ...soon, ONAIR_TLS_KEY: late.ONAIR_TLS_KEY });
    assert.equal(stateOf(mixed, 'certificate'), 'error');
    assert.equal(mixed.code, 1);
  });

  it('the settings of the service are read where its data folder is looked at, and what others may read of its secrets is a warning', async (t) => {
    const { ONAIR_DATA: data, ...env } = await machine(t);
    const dir = dirname(data);
    const tls = pair(join(dir, 'tls'), 90);
    const file = join(dir, 'environment');
    const secrets = join(dir, 'onair', 'credentials.json');
    mkdirSync(dirname(secrets));
    for (const path of [file, secrets]) writeFileSync(path, '{}');
    const lines = ['# TLS', `ONAIR_TLS_CERT=${tls.ONAIR_TLS_CERT}`, `ONAIR_TLS_KEY="${tls.ONAIR_TLS_KEY}"`];
    writeFileSync(file, lines.join('\n'));
    const look = async (mode: number, service = { data, file }): Promise<Finding[]> => {
      for (const path of [file, secrets]) chmodSync(path, mode);
      return diagnose({ data }, env, service);
    };
    const warned = (findings: Finding[]): string[] =>
      findings.filter(({ remedy }) => remedy.includes('chmod')).map(({ check }) => check);
    const wide = await look(0o644);
    assert.match(wide.find(({ check }) => check === 'certificate')?.detail ?? '', /is valid until/u);
    assert.deepEqual(warned(wide), ['settings', 'credentials']);
    assert.deepEqual(warned(await look(0o600)), []);
    const other = await look(0o600, { data: '/var/lib/other', file });
    assert.match(other.find(({ check }) => check === 'certificate')?.detail ?? '', /None is set/u);
    const unread = await look(0o600, { data, file: dir });
    assert.match(
      unread.find(({ check, state }) => check === 'settings' && state === 'warning')?.detail ?? '',
      /cannot be read by this user/u,
    );
  });

  it('a server that runs is found by its data folder, and its ports are its own', async () => {
    const answer = await doctor((await sharedService()).env);
    // Others use the server too, and may have left something that it finds wrong.
    const errors = answer.findings.filter(({ state }) => state === 'error').map(({ check }) => check);
    assert.equal(answer.code, errors.length === 0 ? 0 : 1, answer.stdout);
    for (const check of ['server', 'ports', 'store']) assert.equal(stateOf(answer, check), 'ok', check);
    // What this machine does not show the server was asked for.
    for (const check of ALARM_CHECKS) assert.notEqual(stateOf(answer, check), `no ${check}`);
    for (const check of ['store', 'disk', 'clock'])
      assert.equal(answer.findings.filter((finding) => finding.check === check).length, 1, check);
  });
});
