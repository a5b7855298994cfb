/** A run whose viewers have had it before begins without its source, and waits for it beyond the time of a first start. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { clip, folder, running, startRtmpServer, startRunner } from './runner-fixture.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { startWebServer } from './web-server.ts';

const SMALL = [rendition(11, 320, 180, 300, QUICK.rendition)];
const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
const COPY = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
const WEB = [output(21, 'HLS / TS', QUICK.output)];
const AGAIN: Partial<RunSpec> = { startTimeoutSeconds: 1, wasOnAir: true };

test('a source that is away is waited for: what is encoded is on air with the fallback, what is copied once it is back', async (t) => {
  const dir = folder(t);
  const made = join(dir, 'made.ts');
  execFileSync('ffmpeg', ['-v', 'error', '-i', clip(dir, { seconds: 10 }), '-c', 'copy', made]);
  const web = await startWebServer(t, dir);
  const from = source('Stream', { url: `${web.url}/line.ts` });
  const encoded = startRunner(t, dir, runSpec('encoded', from, WEB, { ...AGAIN, renditions: SMALL }));
  await running(encoded);
  await until('the source is lost', async () => (await encoded.report()).source.state === 'lost');
  assert.equal(encoded.events().filter(({ kind }) => kind === 'source_lost').length, 1);
  await encoded.stop();
  await encoded.exited;
  const before = web.requests.length;
  const waits = startRunner(t, dir, runSpec('copied', from, WEB, { ...AGAIN, renditions: COPY }));
  await until('it asks on and on', () => web.requests.length > before + 5);
  const [first, ...others] = waits.events();
  assert.match(`${first?.kind} ${first?.message}`, /^source_lost Channel "Feed" gives nothing yet: .*404/u);
  assert.deepEqual([(await waits.report()).phase, others], ['starting', []]);
  renameSync(made, join(dir, 'line.ts'));
  await running(waits);
});

test('Destinations that refuse are tried until one takes it, and may be changed meanwhile', async (t) => {
  const dir = folder(t);
  const server = await startRtmpServer(t, dir, await freePort());
  const away = output(22, 'RTMP', { url: `rtmp://127.0.0.1:${await freePort()}/live`, stream_key: 'a' });
  const from = fileSource(clip(dir, { seconds: 3 }));
  const runner = startRunner(t, dir, runSpec('away', from, [away], { ...AGAIN, renditions: SMALL }));
  await until('its runner answers', () => existsSync(runner.files.socket));
  await until('it is tried', async () => ((await runner.report()).publishings[0]?.primary.attempts ?? 0) > 5);
  assert.equal((await runner.report()).phase, 'starting');
  const settings = { ...away.settings, url: `rtmp://127.0.0.1:${server.port}/live` };
  assert.equal((await change(runner, { type: 'output', output: { ...away, settings } })).status, 200);
  await running(runner);
});
