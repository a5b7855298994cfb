/** Assets from the upload to the file, hostile ones included; ffprobe and the disk are real. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { handOnEnvironment } from '../../bin/environment.ts';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { CONTAINERS } from '../../assets/asset-types.ts';
import type { AssetFiles, ReceivedAsset } from '../../domain/ports/control.ts';
import type { AppError } from '../../domain/base/errors.ts';

import { cleanUp } from '../helpers/clean-up.ts';
import { hugeAvi, hugePng } from '../helpers/huge-picture.ts';
import { programArguments } from '../helpers/program.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { wordsOf } from '../helpers/words.ts';

const dir = mkdtempSync(join(tmpdir(), 'onair-assets-'));
const made = join(dir, 'made');
const root = join(dir, 'assets');
let files: AssetFiles;

/** A second of pictures, of sound, or of both. */
function make(name: string, ...args: string[]): Buffer {
  const path = join(made, name);
  execFileSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readFileSync(path);
}
const PICTURES = ['-f', 'lavfi', '-i', 'testsrc=size=64x36:rate=10:duration=1'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=duration=1'];

function stream(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

const never = new AbortController().signal;
const receive = (bucket: string, content: Uint8Array | string, name = 'name.bin'): Promise<ReceivedAsset> =>
  files.receive(bucket, name, stream(Buffer.from(content)), never);

function incoming(): string[] {
  return ['logos', 'files', 'clips'].flatMap((bucket) => readdirSync(join(root, bucket, '.incoming')));
}

before(async () => {
  mkdirSync(made);
  files = await openAssetFiles(root, { maxBytes: 2_000_000, log: silentLog });
});
after(() => rmSync(dir, { recursive: true, force: true }));

describe('Asset files', () => {
  test('content that is not what its name claims is refused', async () => {
    const clip = make('named.mp4', ...PICTURES, '-pix_fmt', 'yuv420p');
    const taken = ['plain', 'take.mov', 'take.MP4', 'take.v2'];
    for (const name of taken) await (await receive('files', clip, name)).discard();
    for (const name of ['x.png', 'notes.txt', 'list.m3u8', 'sound.mp3', 'take.m4a', 'take.ts']) {
      await assert.rejects(receive('files', clip, name), { code: 'unsupported_media' }, name);
    }
  });

  test('the program that reads an uploaded file inherits none of our secrets', async () => {
    const probe = join(dir, 'probe.sh');
    // Its last complaint is answered: it can write no file.
    writeFileSync(probe, '#!/bin/sh\nenv | tr "\\n" " " >&2\nexit 1\n', { mode: 0o700 });
    Object.assign(process.env, { ONAIR_FFPROBE: probe, ONAIR_BOOTSTRAP_PASSWORD: 'canary-first-password' });
    handOnEnvironment();
    try {
      await assert.rejects(receive('files', make('heard.mp4', ...PICTURES), 'heard.mp4'), (error: AppError) => {
        assert.equal(error.code, 'unsupported_media');
        assert.match(error.extras.upstream!, /PATH=/u);
        assert.doesNotMatch(error.extras.upstream!, /canary|ONAIR|HOME=/u);
        return true;
      });
    } finally {
      delete process.env['ONAIR_FFPROBE'];
      delete process.env['ONAIR_BOOTSTRAP_PASSWORD'];
      handOnEnvironment();
    }
  });

  test('a picture that is small to send and huge to decode is refused by its size', async () => {
    const refused = { code: 'unsupported_media', message: /16000x16000 pixels, more than 36 million/u };
    // Wider than any logo may be at all.
    await assert.rejects(receive('logos', hugePng(16_000), 'huge.png'), {
      code: 'unsupported_media',
      message: /16000×16000/u,
    });
    await assert.rejects(receive('logos', hugePng(8000), 'huge.png'), { message: /8000x8000 pixels, more than 36/u });
    await assert.rejects(receive('files', hugePng(16_000), 'huge.png'), { code: 'unsupported_media' });
    await assert.rejects(receive('files', hugeAvi(16_000), 'huge.avi'), refused);
    await (await receive('files', hugeAvi(64), 'small.avi')).discard();
  });

  test('a file that a killed server left under the name is replaced by the next one', () => {
    make('fresh.mp4', ...PICTURES, '-pix_fmt', 'yuv420p');
    writeFileSync(join(root, 'files', 'left.mp4'), 'of an upload whose server was killed');
    const program = programArguments(new URL('../device/agent/fixtures/keep-asset.ts', import.meta.url));
    const args = [...program, root, 'left.mp4', join(made, 'fresh.mp4')];
    assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'true');
    assert.deepEqual(readFileSync(join(root, 'files', 'left.mp4')), readFileSync(join(made, 'fresh.mp4')));
    rmSync(join(root, 'files', 'left.mp4'));
  });

  test('an Asset that is kept is there whole, under its name, once', async () => {
    const content = make('clip.mp4', ...PICTURES, ...SOUND, '-pix_fmt', 'yuv420p', '-movflags', '+faststart');
    const half = Math.floor(content.length / 2);
    const asset = await files.receive(
      'files',
      'a clip ä.mp4',
      stream(content.subarray(0, half), content.subarray(half)),
      never,
    );
    const { keep, discard, ...facts } = asset;
    assert.ok((facts.duration_seconds ?? 0) >= 0.9);
    assert.deepEqual(
      { ...facts, duration_seconds: 1 },
      { size_bytes: content.length, content_type: 'video/mp4', duration_seconds: 1, width: 64, height: 36 },
    );
    const path = files.path('files', 'a clip ä.mp4');
    assert.equal(existsSync(path), false, 'not before keep');
    assert.equal(await keep(), true);
    assert.deepEqual(readFileSync(path), content);
    await discard();

    const other = make('other.mp4', ...PICTURES, '-pix_fmt', 'yuv420p');
    const second = await files.receive('files', 'a clip ä.mp4', stream(other), never);
    assert.equal(await second.keep(), false, 'an Asset is not replaced');
    assert.deepEqual(readFileSync(path), content);
    await files.remove('files', 'a clip ä.mp4');
    await files.remove('files', 'a clip ä.mp4');
    assert.equal(existsSync(path), false);
    const third = await receive('clips', content);
    await third.discard();
    assert.deepEqual(incoming(), []);
  });

  test('a container is recognised by its content, and taken under the ending of what it is', async () => {
    // A phone that is held upright writes its pictures lying.
    make('lying.mov', ...PICTURES, '-c:v', 'libx265', '-x265-params', 'log-level=none', '-tag:v', 'hvc1');
    const upright = ['-i', join(made, 'lying.mov'), '-c', 'copy', '-metadata:s:v', 'rotate=90'];
    const cases: [string, string[], string, [number, number] | null][] = [
      ['a.mov', [...PICTURES, ...SOUND, '-c:v', 'prores_ks', '-c:a', 'pcm_s16le'], 'video/quicktime', [64, 36]],
      ['phone.MOV', upright, 'video/quicktime', [36, 64]],
      ['sound.mov', [...SOUND, '-c:a', 'alac'], 'audio/mp4', null],
      ['a.mp4', [...PICTURES, '-c:v', 'mpeg4'], 'video/mp4', [64, 36]],
      ['a.mkv', [...PICTURES, '-c:v', 'mpeg4'], 'video/x-matroska', [64, 36]],
      ['a.mka', [...SOUND, '-c:a', 'flac'], 'audio/x-matroska', null],
      ['a.webm', [...PICTURES, '-c:v', 'libvpx'], 'video/webm', [64, 36]],
      ['vp9.webm', [...PICTURES, ...SOUND, '-c:v', 'libvpx-vp9', '-c:a', 'libopus'], 'video/webm', [64, 36]],
      ['sound.webm', [...SOUND, '-c:a', 'libopus'], 'audio/webm', null],
      ['a.ts', [...PICTURES, '-c:v', 'mpeg2video'], 'video/mp2t', [64, 36]],
      ['a.mpg', [...PICTURES, '-r', '25', '-c:v', 'mpeg2video', '-f', 'vob'], 'video/mpeg', [64, 36]],
      ['a.flv', [...PICTURES, '-c:v', 'flv1'], 'video/x-flv', [64, 36]],
      ['a.avi', [...PICTURES, '-c:v', 'mpeg4'], 'video/x-msvideo', [64, 36]],
      ['a.mxf', [...PICTURES, '-r', '25', '-c:v', 'mpeg2video'], 'application/mxf', [64, 36]],
      ['a.ogv', [...PICTURES, '-c:v', 'libtheora'], 'video/ogg', [64, 36]],
      ['a.opus', [...SOUND], 'audio/ogg', null],
      ['a.m4a', [...SOUND, '-c:a', 'aac'], 'audio/mp4', null],
      ['a.mp3', [...SOUND], 'audio/mpeg', null],
      ['a.wav', [...SOUND], 'audio/wav', null],
      ['a.aiff', [...SOUND], 'audio/aiff', null],
      ['a.flac', [...SOUND], 'audio/flac', null],
      ['a.aac', [...SOUND], 'audio/aac', null],
    ];
    for (const [name, args, type, size] of cases) {
      const { content_type, width, height, discard } = await receive('files', make(name, ...args), name);
      assert.deepEqual([content_type, width, height], [type, size?.[0] ?? null, size?.[1] ?? null], name);
      await discard();
    }
    const answered = Object.values(CONTAINERS).flatMap(({ types, secondForm = [] }) => [...types, ...secondForm]);
    const tried = new Set(cases.map(([, , type]) => type));
    assert.deepEqual(
      answered.filter((type) => !tried.has(type)),
      [],
      'each type is tried',
    );
    make('logo.png', ...PICTURES, '-frames:v', '1');
    const cover = make(
      'cover.mp3',
      ...SOUND,
      '-i',
      join(made, 'logo.png'),
      ...wordsOf('-map 0 -map 1 -c:v copy -disposition:v attached_pic'),
    );
    const asset = await receive('clips', cover);
    assert.deepEqual([asset.content_type, asset.width], ['audio/mpeg', null], 'a cover is no video');
    await asset.discard();
  });

  test('a logo is a PNG or JPEG with its size, and nothing else is taken as one', async () => {
    const png = make('logo.png', ...PICTURES, '-frames:v', '1');
    const jpeg = make('logo.jpg', ...PICTURES, '-frames:v', '1');
    // A long comment in front, so that the size is far from the start.
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(65_533)]);
    const far = Buffer.concat([jpeg.subarray(0, 2), comment, comment, jpeg.subarray(2)]);
    for (const [content, type] of [
      [png, 'image/png'],
      [jpeg, 'image/jpeg'],
      [far, 'image/jpeg'],
    ] as const) {
      const { content_type, width, height, duration_seconds, discard } = await receive('logos', content);
      assert.deepEqual([content_type, width, height, duration_seconds], [type, 64, 36, null]);
      await discard();
    }
    const huge = Buffer.from(png);
    huge.writeUInt32BE(60_000, 16);
    const bad = [
      huge,
      png.subarray(0, 20),
      jpeg.subarray(0, 3),
      Buffer.from([0xff, 0xd8, 0xff, 0xff, 0xff]),
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]),
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'GIF89a',
      make('clip2.mp4', ...PICTURES, '-c:v', 'mpeg4'),
      'x',
    ];
    for (const content of bad) await assert.rejects(receive('logos', content), { code: 'unsupported_media' });
    assert.deepEqual(incoming(), []);
  });

  test('a "media file" that points elsewhere is refused, and nothing elsewhere is asked', async (t) => {
    let requests = 0;
    const elsewhere = createServer((_, reply) => {
      requests += 1;
      reply.end();
    }).listen(0, '127.0.0.1');
    cleanUp(t, () => elsewhere.close());
    await new Promise((resolve) => elsewhere.once('listening', resolve));
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x.ts`;
    const target = join(made, 'target.ts');
    writeFileSync(target, make('target2.ts', ...PICTURES, '-c:v', 'mpeg2video'));
    const hostile = [
      `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n${url}\n#EXT-X-ENDLIST\n`,
      `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nfile:${target}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile '${target}'\n`,
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><BaseURL>${url}</BaseURL></Period></MPD>`,
      `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 33\n`,
      `[InternetShortcut]\nURL=${url}\n`,
      '1\n00:00:00,000 --> 00:00:01,000\nA subtitle.\n',
      'plain text, nothing else\n'.repeat(1000),
      make('still.png', ...PICTURES, '-frames:v', '1'),
      Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919 + (index >> 3)) % 256)),
      make(
        'subtitles.mkv',
        '-f',
        'srt',
        '-i',
        'data:text/plain;base64,MQowMDowMDowMCwwMDAgLS0+IDAwOjAwOjAxLDAwMApBCgo=',
      ),
    ];
    for (const content of hostile) {
      await assert.rejects(
        receive('files', content, 'innocent.mp4'),
        { code: 'unsupported_media' },
        String(content).slice(0, 40),
      );
    }
    assert.equal(requests, 0);
    assert.deepEqual(incoming(), []);
  });

  test('an upload that is too large, empty, broken off or aborted is refused, and nothing of it is left', async () => {
    await assert.rejects(
      files.receive('files', 'a', stream(new Uint8Array(1_500_000), new Uint8Array(600_000)), never),
      { code: 'too_large' },
    );
    await assert.rejects(files.receive('files', 'a', stream(), never), { code: 'unsupported_media' });
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => controller.error(new Error('reset')),
    });
    await assert.rejects(files.receive('files', 'a', broken, never), { code: 'invalid_input' });
    const abort = new AbortController();
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
    const receiving = files.receive('files', 'a', endless, abort.signal);
    setImmediate(() => abort.abort());
    await assert.rejects(receiving, { code: 'invalid_input' });
    assert.ok(cancelled, 'the sender is told');
    assert.deepEqual(incoming(), []);
  });

  test('no file name leads out of its bucket', async () => {
    for (const name of [
      '../x.mp4',
      '/etc/passwd',
      '..',
      '.incoming',
      'a/b',
      'a\\b',
      'a\0b',
      '',
      `${'ä'.repeat(200)}.mp4`,
    ]) {
      assert.throws(() => files.path('files', name), { code: 'invalid_input' }, name);
      await assert.rejects(files.receive('files', name, stream(new Uint8Array(1)), never), { code: 'invalid_input' });
      await assert.rejects(files.remove('files', name), { code: 'invalid_input' });
    }
    assert.throws(() => files.path('../files', 'a'), { code: 'invalid_input' });
  });

  test('a file that a crashed server left is swept away, one that a living server receives is not', async () => {
    const folder = join(root, 'clips', '.incoming');
    writeFileSync(join(folder, '1-1-left'), 'x');
    writeFileSync(join(folder, 'rubbish'), 'x');
    const asset = await receive('clips', make('late.wav', ...SOUND), 'late.wav');
    const again = await openAssetFiles(root, { maxBytes: 1000, log: silentLog });
    assert.equal(readdirSync(folder).length, 1);
    assert.equal(await asset.keep(), true);
    assert.ok(existsSync(again.path('clips', 'late.wav')));
    assert.deepEqual(incoming(), []);
  });
});
