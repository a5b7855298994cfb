/** A runner that puts HLS / TS and CMAF into a bucket. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signedHeaders } from '../../../device/media/manifests/bucket-signature.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { startS3 } from '../../helpers/servers/s3.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const KEYS = { accessKey: 'KEYOFRUNNER', secretKey: 'canary-secret-of-runner' };

test('HLS / TS and CMAF in a bucket list segments that are there, and end with their end mark', async (t) => {
  const dir = folder(t);
  const server = await startS3(KEYS.accessKey, KEYS.secretKey);
  cleanUp(t, () => server.stop());
  const endpoint = `http://127.0.0.1:${server.port}`;
  const of = { access_key: KEYS.accessKey, secret_key: KEYS.secretKey };
  const outputs = [
    output(21, 'HLS / TS', { ...of, url: `s3://clips/ts?endpoint=${endpoint}`, playlist_length: 4 }),
    output(22, 'CMAF', { ...of, url: `s3://clips/cmaf?endpoint=${endpoint}` }),
  ];
  const spec = runSpec('bucket', fileSource(clip(dir)), outputs, { renditions: [rendition(11, 320, 180, 300)] });
  const runner = startRunner(t, dir, spec);
  const get = async (path: string): Promise<Response> => {
    const url = new URL(`${endpoint}/clips/${path}`);
    const request = { method: 'GET', url, headers: {}, body: undefined, now: Date.now() };
    const ask = (): Promise<Response> =>
      fetch(url, { headers: signedHeaders(request, { ...KEYS, region: 'us-east-1' }) });
    // The server may end a kept connection in the moment in which it is used again.
    return ask().catch(ask);
  };
  await running(runner);
  await until('both are up', async () =>
    (await runner.report()).publishings.every(({ primary }) => primary?.state === 'up'),
  );
  await until('the window has moved', async () => !/SEQUENCE:0\n/u.test(await (await get('ts/11/index.m3u8')).text()));
  const playlist = await (await get('ts/11/index.m3u8')).text();
  assert.equal((await get('cmaf/manifest.mpd')).status, 200);
  const names = playlist.split('\n').filter((line) => /^\d/u.test(line));
  assert.ok(names.length >= 3, playlist);
  for (const name of names) assert.equal((await get(`ts/11/${name}`)).status, 200, name);
  assert.ok(!JSON.stringify([await runner.report(), runner.events()]).includes('canary'));
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.match(await (await get('ts/11/index.m3u8')).text(), /#EXT-X-ENDLIST/u);
  assert.deepEqual(runner.left(), []);
});
