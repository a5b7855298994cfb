/** A licence from its key to its end: made and issued by the program, installed over REST, looked up at each start. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { itLong } from '../helpers/counts.ts';
import { PROGRAM } from '../helpers/service.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { openRestApi } from '../app/rest-api.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { TOKENS } from '../app/users.ts';

const run = promisify(execFile);
const DAY_MS = 86_400_000;

describe('onair license', () => {
  const dir = mkdtempSync(join(tmpdir(), 'onair-license-'));
  const keys = join(dir, 'keys');
  const file = join(dir, 'example.lic');
  const onair = (...words: string[]): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, [PROGRAM, 'license', ...words], { env: { ...process.env, ONAIR_LICENSE_KEY: '' } });
  const fails = async (...words: string[]): Promise<string> => {
    const error = (await onair(...words).then(
      () => assert.fail('did not fail'),
      (thrown: unknown) => thrown,
    )) as { code: number; stderr: string; stdout: string };
    assert.ok(error.code > 0);
    return error.stderr + error.stdout;
  };
  let app: TestApp;
  before(async () => {
    await onair('keygen', '--out', keys);
    const lastDay = new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 10);
    await onair(
      'issue',
      '--key',
      join(keys, 'private.pem'),
      '--customer',
      'Example Television',
      '--features',
      'videosite,editor',
      '--quantity',
      '2',
      '--expires',
      lastDay,
      '--out',
      file,
    );
  });
  after(async () => {
    await app?.close();
    rmSync(dir, { recursive: true });
  });

  it('onair license makes a key pair once, the private one for its owner alone', async () => {
    assert.equal(statSync(join(keys, 'private.pem')).mode & 0o777, 0o600);
    const before_ = readFileSync(join(keys, 'private.pem'), 'utf8');
    assert.match(before_, /^-----BEGIN PRIVATE KEY-----/u);
    assert.match(readFileSync(join(keys, 'public.pem'), 'utf8'), /^-----BEGIN PUBLIC KEY-----/u);
    assert.match(await fails('keygen', '--out', keys), /never overwritten/u);
    assert.equal(readFileSync(join(keys, 'private.pem'), 'utf8'), before_);
  });

  itLong('onair license refuses what is no licence', async () => {
    const issue = ['issue', '--key', join(keys, 'private.pem'), '--customer', 'X'];
    assert.match(await fails(...issue, '--features', 'everything'), /features.*Features are editor, videosite/su);
    assert.match(await fails(...issue, '--features', 'editor', '--expires', '2020-01-01'), /over already/u);
    assert.match(await fails(...issue, '--features', 'editor', '--expires', 'tomorrow'), /must be a date/u);
    assert.match(await fails(...issue, '--features', 'editor', '--quantity', 'many'), /quantity/u);
    assert.match(await fails('issue', '--key', file, '--customer', 'X', '--features', 'editor'), /no private key/u);
    assert.match(await fails(...issue, '--features', 'editor', '--out', file), /cannot be written/u);
  });

  it('onair license shows a file, and whether a server would take it', async () => {
    const shown = JSON.parse((await onair('show', file)).stdout) as Record<string, unknown>;
    assert.deepEqual(
      [shown['customer'], shown['features'], shown['quantity']],
      ['Example Television', ['videosite', 'editor'], 2],
    );
    assert.match(String(shown['verdict']), /not checked/u);
    assert.match((await onair('show', file, '--key', join(keys, 'public.pem'))).stdout, /"verdict": "good"/u);
    await onair('keygen', '--out', join(dir, 'other'));
    assert.match(await fails('show', file, '--key', join(dir, 'other', 'public.pem')), /refused: The signature/u);
  });

  it('a licence opens the gate of the video site from its installation to its end', async () => {
    const licenceKey = join(keys, 'public.pem');
    app = await startTestApp({ licenceKey });
    // The file was issued by this machine's clock; the app begins in the past.
    app.clock.advance(Date.now() - app.clock.now());
    const api = await openRestApi(app);
    const { livestreamId, channelId } = await addBroadcast(app);
    await app.store.tx((tx) => {
      const device = tx.get('devices', app.deviceId)!;
      const capabilities = { ...device.capabilities!, inputs: [...device.capabilities!.inputs, 'VideoSite Live'] };
      tx.put('devices', { ...device, capabilities });
    });
    // Set up ahead of the licence: only the start needs it.
    const channel = { type: 'VideoSite Live', settings: { video_id: 'dQw4w9WgXcQ' } };
    assert.equal((await api.send('PUT', `/channels/${channelId}`, { body: channel })).status, 200);
    const start = async (): Promise<[number, string]> => {
      const response = await api.send('POST', `/livestreams/${livestreamId}/start`, {
        token: TOKENS.operator,
        body: {},
      });
      return [response.status, await response.text()];
    };
    const [status, problem] = await start();
    assert.equal(status, 403, problem);
    assert.deepEqual(
      (JSON.parse(problem) as { reasons: { code: string }[] }).reasons.map(({ code }) => code),
      ['licence'],
    );

    const form = new FormData();
    form.append('file', new Blob([readFileSync(file)]), 'example.lic');
    assert.equal((await api.send('POST', '/system/licenses', { token: TOKENS.operator, body: form })).status, 403);
    const form2 = new FormData();
    form2.append('file', new Blob([readFileSync(file)]), 'example.lic');
    const installed = await api.send('POST', '/system/licenses', { body: form2 });
    assert.equal(installed.status, 201, await installed.clone().text());
    const large = new FormData();
    large.append('file', new Blob([Buffer.alloc(1_000_000)]), 'large.lic');
    const refused = await api.send('POST', '/system/licenses', { body: large });
    assert.deepEqual(
      [refused.status, ((await refused.json()) as { max_bytes: number }).max_bytes],
      [413, 16_384],
      'refused while it comes in, by the bound of a licence',
    );
    const again = await api.send('POST', '/system/licenses', { body: { license: readFileSync(file, 'utf8') } });
    assert.equal(again.status, 200);
    assert.deepEqual(await again.json(), await installed.json());

    const config = async (): Promise<{ startAllowed: boolean }> =>
      (
        (await (await api.send('GET', `/livestreams/${livestreamId}/startConfig`)).json()) as {
          data: { startAllowed: boolean };
        }
      ).data;
    assert.equal((await config()).startAllowed, true);
    app.clock.advance(11 * DAY_MS);
    assert.equal((await config()).startAllowed, false);
    assert.equal((await start())[0], 403);
  });
});
