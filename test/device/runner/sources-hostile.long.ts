/** Sources that are no media: texts of services inside, and pictures that are small to send and huge to decode. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/run.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { launch } from '../../../device/ffmpeg/launch.ts';
import { trySandbox } from '../../../device/ffmpeg/trial.ts';
import { rawIngestArgs } from '../../../device/media/arguments/ingest-args.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { ingestInput } from '../../../device/media/arguments/source-input.ts';
import { hugeAvi, hugePng } from '../../helpers/huge-picture.ts';
import { folder, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { startWebServer } from './web-server.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const SECRET = 'SecretAccessKey: canary-of-the-machine\n'.repeat(400);
const text = (response: ServerResponse): void => void response.end(SECRET);

function final(runner: TestRunner): RunReport {
  return JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
}

test('the text that an inner service answers is refused as a source, and is never shown as a picture', async (t) => {
  const dir = folder(t);
  const redirect = (response: ServerResponse): void =>
    void response.writeHead(302, { location: '/latest/meta-data/iam?x=.txt' }).end();
  const list = (response: ServerResponse): void =>
    void response.end("ffconcat version 1.0\nfile '/latest/meta-data/iam?x=.txt'\n");
  const segments = (response: ServerResponse): void =>
    void response.end('#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n/latest/meta-data/iam.txt\n#EXT-X-ENDLIST\n');
  const web = await startWebServer(t, dir, {
    '/latest/meta-data/iam': text,
    '/latest/meta-data/iam.txt': text,
    '/go.txt': redirect,
    '/list': list,
    '/segments.m3u8': segments,
  });
  // Without and with a query: by the arguments, and by a list.
  const paths = ['/latest/meta-data/iam.txt', '/latest/meta-data/iam?x=.txt', '/go.txt', '/list', '/list?x=1'];
  for (const [i, path] of paths.entries()) {
    const from = source('Stream', { url: `${web.url}${path}` });
    const runner = startRunner(t, dir, runSpec(`text-${i}`, from, HLS, SMALL));
    await runner.exited;
    assert.equal(final(runner).phase, 'failed');
    assert.match(final(runner).error!, /is a text, a picture or a list, and no media that may be taken in/u, path);
    assert.ok(!runner.events().some(({ kind }) => kind === 'started'));
    assert.ok(!existsSync(liveDir(dir, LIVESTREAM_ID, 21)), 'nothing for viewers');
  }
  const nested = startRunner(
    t,
    dir,
    runSpec('segments', source('Stream', { url: `${web.url}/segments.m3u8` }), HLS, {
      ...SMALL,
      startTimeoutSeconds: 3,
    }),
  );
  await nested.exited;
  assert.equal(final(nested).phase, 'failed');
  assert.ok(!existsSync(liveDir(dir, LIVESTREAM_ID, 21)));
  const stored = join(dir, 'stored.txt');
  writeFileSync(stored, SECRET);
  const file = startRunner(t, dir, runSpec('stored', fileSource(stored), HLS, { ...SMALL, startTimeoutSeconds: 3 }));
  await file.exited;
  assert.equal(final(file).phase, 'failed');
});

/** Resident memory of the ingest at its peak, in MB, and what it complained of. */
async function decode(path: string): Promise<{ megabytes: number; words: string }> {
  const from = path.startsWith('http') ? source('Stream', { url: path }) : fileSource(path, false);
  const input = ingestInput(from);
  const args = rawIngestArgs(from, input, planLadder(SMALL.renditions), 'video');
  const { sandbox } = await trySandbox();
  const stdio = ['ignore', 'ignore', 'pipe', 'ignore'] as const;
  const child = launch('ffmpeg', args, {
    stdio: [...stdio],
    work: 'read',
    sandbox,
    access: { reads: input.reads ?? [] },
  });
  let megabytes = 0;
  let words = '';
  child.stderr!.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const look = setInterval(() => {
    try {
      const [, peak = '0'] = /^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      megabytes = Math.max(megabytes, Number(peak) / 1024);
    } catch {
      // It has ended.
    }
  }, 2);
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(look);
  return { megabytes, words };
}

test('a picture of 256 million pixels is not decoded, by http or as a file, alone or in a container', async (t) => {
  const dir = folder(t);
  const [png, avi] = [join(dir, 'huge.png'), join(dir, 'huge.avi')];
  writeFileSync(png, hugePng(16_000));
  writeFileSync(avi, hugeAvi(16_000));
  const web = await startWebServer(t, dir);
  for (const [path, reason] of [
    [png, /Format not on whitelist/u],
    [`${web.url}/huge.png`, /Format not on whitelist/u],
    [avi, /16000x16000 exceeds/u],
    [`${web.url}/huge.avi`, /16000x16000 exceeds/u],
  ] as const) {
    const { megabytes, words } = await decode(path);
    t.diagnostic(`${path.split('/').at(-1)}: ${Math.round(megabytes)} MB resident at its peak`);
    assert.match(words, reason);
    assert.ok(megabytes < 300, `${megabytes} MB for ${path}`);
  }
  const runner = startRunner(t, dir, runSpec('huge', source('Stream', { url: `${web.url}/huge.avi` }), HLS, SMALL));
  await runner.exited;
  assert.match(final(runner).error!, /pictures of 16000x16000 pixels, more than 36 million/u);
});
