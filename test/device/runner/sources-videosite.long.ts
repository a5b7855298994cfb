/** VideoSite Live: a program of the Device gives the address, anew for each connection. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { clip, everyCommandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { startWebServer } from './web-server.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

/** The runner inherits it, as it does from an agent. */
function withResolver(t: TestScope, path: string | undefined): void {
  if (path === undefined) delete process.env.ONAIR_VIDEOSITE_RESOLVER;
  else process.env.ONAIR_VIDEOSITE_RESOLVER = path;
  cleanUp(t, () => delete process.env.ONAIR_VIDEOSITE_RESOLVER);
}

function script(dir: string, body: string): string {
  const path = join(dir, 'resolver');
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

async function failure(runner: TestRunner): Promise<string> {
  await runner.exited;
  return (JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport).error!;
}

test('the address that the program of a video site gives is played, and the next connection asks again', async (t) => {
  const dir = folder(t);
  const web = await startWebServer(t, dir);
  execFileSync('ffmpeg', [
    ...['-v', 'error', '-i', clip(dir), '-c', 'copy', '-f', 'hls', '-hls_time', '2', '-hls_list_size', '0'],
    join(dir, 'live.m3u8'),
  ]);
  const request = join(dir, 'asked');
  withResolver(
    t,
    script(
      dir,
      `echo "$# $*" >> ${request}; env > ${dir}/env; echo "${web.url}/live.m3u8?n=canary-$(wc -l < ${request})"; echo more`,
    ),
  );
  process.env.ONAIR_CANARY = 'canary-env';
  cleanUp(t, () => delete process.env.ONAIR_CANARY);
  const from = source('VideoSite Live', { video_id: '-dQw4w9WgXc' });
  const runner = startRunner(t, dir, runSpec('site', from, HLS, { ...SMALL, startTimeoutSeconds: 25 }));
  await running(runner);
  await until('its picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  assert.ok(!everyCommandLine().includes('canary-1'));
  assert.ok(!readFileSync(join(dir, 'env'), 'utf8').includes('canary-env'), 'nothing of our environment');
  // The playlist has an end, after ten seconds: the source is lost, and asked for with a new address.
  await until('a second address', () => web.requests.includes('/live.m3u8?n=canary-2'));
  await until('its picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  assert.match(readFileSync(request, 'utf8'), /^(?:2 -- -dQw4w9WgXc\n)+$/u, 'never taken for an option');
  await runner.stop();
  await runner.exited;
  for (const path of [runner.files.events, runner.files.log]) assert.ok(!readFileSync(path, 'utf8').includes('canary'));
});

test('without a resolver of its own a Device asks yt-dlp in its PATH, and tells its last line where it finds nothing', async (t) => {
  const dir = folder(t);
  const web = await startWebServer(t, dir);
  execFileSync('ffmpeg', [
    ...['-v', 'error', '-i', clip(dir), '-c', 'copy', '-f', 'hls', '-hls_time', '2', '-hls_list_size', '0'],
    join(dir, 'live.m3u8'),
  ]);
  withResolver(t, undefined);
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const { PATH } = process.env;
  process.env.PATH = `${bin}:${PATH}`;
  cleanUp(t, () => void (process.env.PATH = PATH));
  const ytDlp = (body: string): void => renameSync(script(dir, body), join(bin, 'yt-dlp'));
  ytDlp(`echo "$*" >> ${join(dir, 'words')}; echo "${web.url}/live.m3u8"`);
  const from = source('VideoSite Live', { video_id: '-dQw4w9WgXc' });
  const runner = startRunner(t, dir, runSpec('site', from, HLS, { ...SMALL, startTimeoutSeconds: 25 }));
  await running(runner);
  await until('its picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  const words = readFileSync(join(dir, 'words'), 'utf8').split('\n')[0];
  assert.equal(words, '--no-warnings --no-playlist -g -f best -- -dQw4w9WgXc');
  await runner.stop();
  await runner.exited;
  ytDlp('echo "[site] looking" >&2; echo "ERROR: the channel is not live" >&2; exit 1');
  const dark = startRunner(t, dir, runSpec('dark', from, HLS, { ...SMALL, startTimeoutSeconds: 3 }));
  assert.match(await failure(dark), /The resolver ended with 1: ERROR: the channel is not live/u);
});

test('the fault of a video site is reported: no program, a refusal, no address, silence', async (t) => {
  const dir = folder(t);
  const from = source('VideoSite Live', { video_id: 'dQw4w9WgXcQ' });
  const start = (id: string): TestRunner =>
    startRunner(t, dir, runSpec(id, from, HLS, { ...SMALL, startTimeoutSeconds: 3 }));
  withResolver(t, undefined);
  assert.match(
    await failure(start('none')),
    /has no resolver of the video site\. Install yt-dlp .*pipx install yt-dlp/u,
  );
  withResolver(t, join(dir, 'nowhere'));
  assert.match(
    await failure(start('lost')),
    /ONAIR_VIDEOSITE_RESOLVER of this Device names .*nowhere, which is no program/u,
  );
  withResolver(t, script(dir, 'echo "The video is private: https://site.example/key/canary?x=1" >&2; exit 3'));
  const refused = await failure(start('refused'));
  assert.match(refused, /The resolver ended with 3: The video is private: https:\/\/site\.example\/\*\*\*\*/u);
  withResolver(t, script(dir, 'echo file:///etc/passwd'));
  assert.match(await failure(start('scheme')), /first line of the resolver's answer must begin with http:\/\//u);
  withResolver(t, script(dir, 'exec yes'));
  assert.match(await failure(start('endless')), /The resolver has said more than 65536 bytes/u);
  withResolver(t, script(dir, 'exec sleep 60'));
  const silent = start('silent');
  assert.match(await failure(silent), /no media within 3 s/u);
  assert.deepEqual(silent.left(), []);
});
