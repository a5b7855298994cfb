/** Encrypted CMAF and DASH on the air: what lies on the disk, what the manifests say, and what a browser can show with the key. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeRun } from '../../../device/agent/runs/ask-runner.ts';
import { openMediaServer } from '../../../device/agent/media-server.ts';
import { boxesIn, findBox } from '../../../device/media/fmp4/fmp4-box.ts';
import { liveDir } from '../../../device/run-dir.ts';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { itLong } from '../../helpers/counts.ts';
import { encryptedViewer } from '../../helpers/encrypted-viewer.ts';
import { drm, PICTURE, SOUND } from './encrypted-output.ts';
import { clip, everyCommandLine, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { silentLog } from '../../helpers/silent-log.ts';

const LADDER = { renditions: [rendition(11, 320, 180, 300), rendition(12, 160, 90, 100)] };
const KEYS = { [PICTURE.kid]: PICTURE.key, [SOUND.kid]: SOUND.key };
const [CENC, CBCS] = [31, 32];

async function serve(t: TestScope, deviceDir: string): Promise<string> {
  const server = await openMediaServer({ deviceDir, host: '127.0.0.1', port: 0, formerPort: 0, log: silentLog });
  cleanUp(t, () => server.close());
  return server.url;
}

itLong('a browser with the keys plays cenc and cbcs, one without them plays nothing', async (t) => {
  const dir = folder(t);
  const url = await serve(t, dir);
  const settings = { segment_duration: 2, playlist_length: 30 };
  const outputs = [
    output(CENC, 'DASH', settings, { drm: drm('cenc', ['WIDEVINE', 'PLAYREADY']) }),
    output(CBCS, 'CMAF', settings, { drm: drm('cbcs', ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY']) }),
  ];
  const runner = startRunner(t, dir, runSpec('encrypted', fileSource(clip(dir)), outputs, LADDER));
  await running(runner);
  await until('both are up', async () =>
    (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'),
  );
  const viewer = await encryptedViewer(t);
  const wrong = { [PICTURE.kid]: SOUND.key, [SOUND.kid]: PICTURE.key };
  for (const path of [`${CENC}/manifest.mpd`, `${CBCS}/manifest.mpd`, `${CBCS}/index.m3u8`]) {
    const address = `${url}/live/${LIVESTREAM_ID}/${path}`;
    const screen = await viewer.watch(address, KEYS);
    const first = await until(`${path} begins`, async () => {
      const sight = await screen.look();
      assert.deepEqual(sight.errors, [], path);
      return sight.currentTime > 0 && sight.frames > 0 && sight;
    });
    assert.equal(first.keySystem, 'org.w3.clearkey', path);
    await until(`${path} plays on`, async () => {
      const { currentTime, frames } = await screen.look();
      return currentTime > first.currentTime + 2 && frames > first.frames + 30;
    });
    assert.deepEqual((await screen.look()).errors, []);
    await screen.close();
    const stranger = await viewer.watch(address, {});
    const refused = await until(`${path} is refused without a key`, async () => {
      const sight = await stranger.look();
      assert.equal(sight.frames, 0, `${path} is shown without its key`);
      return sight.errors.length > 0 && sight;
    });
    assert.match(refused.errors[0]!, /^shaka 6\d{3}/u, 'an error of the encryption');
    await stranger.close();
    // A pattern leaves most of a picture readable: a decoder may show some noise before it gives up.
    const guesser = await viewer.watch(address, wrong);
    const failed = await until(`${path} fails with another key`, async () => {
      const sight = await guesser.look();
      return sight.errors.length > 0 && sight;
    });
    assert.ok(failed.frames < 30, `${failed.frames} frames with another key`);
    await guesser.close();
  }
  assertSignalled(dir);
  const report = await runner.report();
  assert.deepEqual(
    report.publishings.map(({ primary }) => [primary.state, primary.attempts]),
    [
      ['up', 0],
      ['up', 0],
    ],
  );
  const shown =
    everyCommandLine() +
    JSON.stringify(report) +
    readFileSync(runner.files.log, 'utf8') +
    JSON.stringify(runner.events());
  for (const key of Object.values(KEYS)) assert.ok(!shown.includes(key), 'a content key is to be seen');
});

/** Every file that viewers can get. */
function delivered(dir: string, publishingId: number): string[] {
  const root = liveDir(dir, LIVESTREAM_ID, publishingId);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:m4s|mp4|mpd|m3u8)$/u.test(name))
    .map((name) => join(root, name));
}

function assertSignalled(dir: string): void {
  const read = (id: number, name: string): string => readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), name), 'utf8');
  const protections = (mpd: string): string[] =>
    [...mpd.matchAll(/<ContentProtection schemeIdUri="([^"]+)"(?: value="(\w+)" cenc:default_KID="([^"]+)")?/gu)].map(
      ([, scheme, value, kid]) => [scheme, value, kid].filter((part) => part !== undefined).join(' '),
    );
  for (const [id, mode] of [
    [CENC, 'cenc'],
    [CBCS, 'cbcs'],
  ] as const) {
    const common = (kid: string): string[] => [
      `urn:mpeg:dash:mp4protection:2011 ${mode} ${kid}`,
      'urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
      'urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95',
    ];
    const mpd = read(id, 'manifest.mpd');
    assert.deepEqual(protections(mpd), [
      ...common('10000000-0000-0000-0000-000000000001'),
      ...common('20000000-0000-0000-0000-000000000002'),
    ]);
    assert.equal(mpd.match(/<cenc:pssh>/gu)!.length, 4);
    assert.equal(mpd.match(/<mspr:pro>/gu)!.length, 2);
    const files = delivered(dir, id);
    for (const file of files.filter((name) => name.endsWith('.mp4'))) {
      const moov = [...boxesIn(readFileSync(file))].find(({ type }) => type === 'moov')!.body;
      const entry = findBox(moov, 'trak', 'mdia', 'minf', 'stbl', 'stsd')!.toString('latin1', 12, 16);
      assert.match(entry, /^enc[av]$/u);
      assert.equal([...boxesIn(moov)].filter(({ type }) => type === 'pssh').length, 2);
    }
    for (const file of files) {
      const bytes = readFileSync(file);
      for (const key of Object.values(KEYS)) {
        assert.ok(!bytes.includes(key) && !bytes.includes(Buffer.from(key, 'hex')), `the key is in ${file}`);
      }
    }
  }
  const keys = (name: string): string[] => read(CBCS, name).match(/#EXT-X-(?:SESSION-)?KEY:.*/gu)!;
  const formats = (lines: string[]): string[] => lines.map((line) => /KEYFORMAT="([^"]+)"/u.exec(line)![1]!);
  const systems = [
    'urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
    'com.microsoft.playready',
    'com.apple.streamingkeydelivery',
  ];
  for (const [track, kid] of [
    ['256', PICTURE.kid],
    ['258', SOUND.kid],
  ] as const) {
    const lines = keys(`${track}/index.m3u8`);
    assert.deepEqual(formats(lines), systems);
    for (const line of lines) assert.match(line, /METHOD=SAMPLE-AES,/u);
    assert.match(lines[0]!, new RegExp(`KEYID=0x${kid}$`, 'u'));
    assert.match(lines[2]!, new RegExp(`URI="skd://${kid}"`, 'u'));
  }
  assert.deepEqual(formats(keys('index.m3u8')), [...systems, ...systems]);
  assertDecrypts(dir);
}

/** ffmpeg as another decryptor, a fragment at a time: it confuses the maps of two fragments in one file, whoever wrote them. */
function assertDecrypts(dir: string): void {
  const root = join(liveDir(dir, LIVESTREAM_ID, CENC), '256');
  const names = readdirSync(root);
  const init = readFileSync(
    join(
      root,
      names.find((name) => name.startsWith('init-'))!,
    ),
  );
  const [segment] = names
    .filter((name) => name.endsWith('.m4s'))
    .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  const boxes = [...boxesIn(readFileSync(join(root, segment!)))];
  assert.ok(findBox(boxes[0]!.body, 'traf', 'senc'), 'each fragment has its map');
  const file = join(dir, 'fragment.mp4');
  writeFileSync(file, Buffer.concat([init, boxes[0]!.bytes, boxes[1]!.bytes]));
  const decode = (key: string): { complaints: string; frames: number } => {
    const args = ['-v', 'error', '-decryption_key', key, '-i', file, '-f', 'framemd5', '-'];
    const { stdout, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' });
    return { complaints: stderr, frames: stdout.split('\n').filter((line) => /^0,/u.test(line)).length };
  };
  assert.deepEqual(decode(PICTURE.key), { complaints: '', frames: 30 });
  assert.notEqual(decode(SOUND.key).complaints, '');
}

test('cenc and cbcs are signalled and opened by their keys alone, media that cannot be encrypted is not delivered at all, and keys outlive a change of settings', async (t) => {
  const dir = folder(t);
  const fairplay = drm('cbcs', ['FAIRPLAY']);
  const [TS, RTMP, LACKING, KEYLESS, GOOD, CLEAR] = [41, 42, 43, 46, 44, 45];
  const incomplete = { ...drm('cenc', ['WIDEVINE']), keys: [] };
  const without = { encrypted: true } as const;
  const outputs = [
    output(TS, 'HLS / TS', {}, { drm: fairplay }),
    output(RTMP, 'RTMP', { url: 'rtmp://127.0.0.1:1/live', stream_key: 'k' }, { drm: fairplay }),
    output(LACKING, 'CMAF', {}, { drm: incomplete }),
    output(KEYLESS, 'DASH', {}, without),
    output(GOOD, 'CMAF', {}, { drm: fairplay }),
    // Without one that stays up the run would end with the last path.
    output(CLEAR, 'HLS / TS'),
    output(CENC, 'DASH', { playlist_length: 60 }, { drm: drm('cenc', ['WIDEVINE', 'PLAYREADY']) }),
    output(CBCS, 'CMAF', { playlist_length: 60 }, { drm: drm('cbcs', ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY']) }),
  ];
  const runner = startRunner(t, dir, runSpec('refused', fileSource(clip(dir)), outputs, LADDER));
  await running(runner);
  const { publishings } = await until('the good ones are up', async () => {
    const report = await runner.report();
    return report.publishings.slice(4).every(({ primary }) => primary.state === 'up') && report;
  });
  const errors = publishings.map(({ primary }) => primary.last_error);
  assert.match(errors[0]!, /^HLS \/ TS: cannot be encrypted; use DASH or CMAF\.$/u);
  assert.match(errors[1]!, /^RTMP: cannot be encrypted/u);
  assert.match(errors[2]!, /^CMAF: cannot be encrypted: The DRM provider has no key for video tracks/u);
  assert.match(errors[3]!, /^DASH: is to be encrypted, and the order came without content keys/u);
  assert.deepEqual(
    publishings.map(({ primary }) => primary.state),
    ['failed', 'failed', 'failed', 'failed', 'up', 'up', 'up', 'up'],
  );
  assertSignalled(dir);
  for (const id of [TS, LACKING, KEYLESS])
    assert.ok(!existsSync(liveDir(dir, LIVESTREAM_ID, id)), 'something is delivered');
  const { drm: _, ...clear } = outputs[4]!;
  const change = (question: RunChange): Promise<unknown> => changeRun(runner.files.socket, question);
  await change({ type: 'output', output: { ...clear, settings: { ...clear.settings, playlist_length: 20 } } });
  await change({ type: 'paths', paths: [{ publishingId: GOOD, primary: false }] });
  await change({ type: 'paths', paths: [{ publishingId: GOOD, primary: true }] });
  await until('it goes on', async () => (await runner.report()).publishings[4]!.primary.state === 'up');
  const playlist = readFileSync(join(liveDir(dir, LIVESTREAM_ID, GOOD), '256', 'index.m3u8'), 'utf8');
  assert.match(playlist, /#EXT-X-DISCONTINUITY\n/u);
  assert.match(playlist, /#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd:/u);
  for (const file of delivered(dir, GOOD).filter((name) => name.endsWith('.mp4')))
    assert.match(readFileSync(file, 'latin1'), /enc[av].*tenc/su);
  const stored = JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec;
  assert.deepEqual(stored.outputs[4]!.drm, fairplay);
  assert.equal(statSync(runner.files.spec).mode & 0o777, 0o600);
});
