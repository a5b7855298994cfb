/** RTMP-Push: who is let in, what is known of it, and what orders change, with a real process and real encoders. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Intake } from '../../../device/push/intake.ts';
import { pushFiles } from '../../../device/push/push-paths.ts';
import { readPushed } from '../../../device/push/push-reader.ts';
import { RtmpPort } from '../../../device/push/rtmp-port.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { countOf, someOf } from '../../helpers/counts.ts';
import { crowd } from '../../helpers/crowd.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { freePort } from '../../helpers/ports.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { feed } from '../runner/feeder.ts';
import { setClock } from './push-clock.ts';
import { answers, publish, rtmpOrder, startPush } from './push-fixture.ts';
import { wordsOf } from '../../helpers/words.ts';

function clip(dir: string, rate = '25'): string {
  const path = join(dir, `clip-${rate.replace('/', '-')}.flv`);
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=${rate}`];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const codecs = wordsOf('-c:v libx264 -preset ultrafast -g 50 -pix_fmt yuv420p -c:a aac -ac 2');
  const args = ['-v', 'error', '-y', ...picture, ...sound, '-t', '4', ...codecs];
  return madeOnce(path, args, (target) => execFileSync('ffmpeg', [...args, target]));
}

const RATES = someOf(
  [
    ['25', 25],
    ['50', 50],
    ['60000/1001', 60_000 / 1001],
    ['30000/1001', 30_000 / 1001],
  ] as const,
  2,
);

/** The last chunk of an encoder's connect has one byte of it. */
const FAR_APP = 'o'.repeat(62);
const url = (port: number, path: string): string[] => ['-f', 'flv', `rtmp://127.0.0.1:${port}/${path}`];

test('application and key together alone let an encoder in, one only; each refusal is said to it and to every Channel concerned', async (t) => {
  const dir = testFolder(t, 'push');
  const port = await freePort();
  const far = { allowed_senders: ['192.0.2.0/24', '2001:db8::/32'] };
  const orders = [
    rtmpOrder(1, port),
    rtmpOrder(2, port),
    rtmpOrder(3, port, far),
    rtmpOrder(4, port, { app: FAR_APP }),
  ];
  const push = await startPush(t, dir, ...orders);
  const file = clip(dir);
  const to = (path: string): ReturnType<typeof feed> => feed(t, file, ...url(port, path));

  const stranger = to('live/canary-key-12');
  assert.notEqual(await stranger.ended, 0);
  assert.match(stranger.words(), /application or the key is wrong/u);
  for (const id of [1, 2, 3]) {
    const { state, last_refusal } = await push.report(id);
    assert.deepEqual([state, last_refusal?.reason, last_refusal?.from], ['refused', 'key', '127.0.0.1']);
  }
  assert.deepEqual((({ state, last_refusal }) => [state, last_refusal])(await push.report(4)), ['waiting', null]);

  const far3 = to('live/canary-key-3');
  assert.notEqual(await far3.ended, 0);
  assert.match(far3.words(), /127\.0\.0\.1 is not among those that may send here/u);
  assert.equal((await push.report(3)).last_refusal?.reason, 'sender');
  assert.equal((await push.report(1)).last_refusal?.reason, 'key');
  const lost = to('nowhere/canary-key-1');
  assert.notEqual(await lost.ended, 0);
  assert.match(readFileSync(pushFiles(dir).log, 'utf8'), /no Channel of this port has its application/u);

  to('live/canary-key-1?token=1');
  await until('receiving', async () => (await push.report(1)).state === 'receiving');
  to(`${FAR_APP}/canary-key-4`);
  await until('the other one too', async () => (await push.report(4)).state === 'receiving');
  const second = to('live/canary-key-1');
  assert.notEqual(await second.ended, 0);
  assert.match(second.words(), /publishes here already/u);
  const { state, last_refusal } = await push.report(1);
  assert.deepEqual([state, last_refusal?.reason], ['receiving', 'busy']);
  const kinds = push.events.filter(({ channelId }) => channelId === 1).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['ingest_refused', 'ingest_connected', 'ingest_refused']);
  assert.deepEqual(
    push.events.map(({ seq }) => seq),
    push.events.map((_, at) => at + 1),
  );
  assert.ok(!JSON.stringify(push.events).includes('canary'));
});

test('names are taken as other servers take them, and a codec that cannot be read is refused by name', async (t) => {
  const port = await freePort();
  const events: string[] = [];
  const [plain, odd] = ['the-key', 'the-key?part=of/it'].map(
    (stream_key, at) =>
      new Intake(rtmpOrder(at + 1, port, { stream_key }), {
        onChange: () => undefined,
        onEvent: (_channelId, { kind, data }) => events.push(`${kind} ${String(data['reason'] ?? '')}`.trim()),
      }),
  );
  const opened = new RtmpPort({ host: '127.0.0.1', port, log: silentLog });
  cleanUp(t, () => opened.close());
  opened.setIntakes([plain!, odd!]);
  await until('it listens', () => answers(port));
  const tried: [app: string, key: string, into: Intake | undefined][] = [
    ['live', 'the-key?token=1', plain],
    ['live?token=1', 'the-key', plain],
    ['live?to=a/b', 'the-key', plain],
    ['live/the-key', '', plain],
    ['live/the-key?token=1', '', plain],
    ['live', '/the-key', plain],
    ['live', 'the-key ', plain],
    ['live/', 'the-key/?token=1', plain],
    ['live ', '\tthe%2Dkey\r\n', plain],
    ['live', 'the-key?part=of/it', odd],
    ['live/the-key?part=of/it', '', odd],
    ['live', 'the-key-2', undefined],
    ['live/the-key', 'more', undefined],
    ['live-2', 'the-key', undefined],
    ['live', '', undefined],
  ];
  for (const [app, key, into] of tried) {
    const words = await publish(port, app, key);
    const taken = [plain, odd].filter((one) => one!.isReceiving);
    assert.deepEqual(
      [words === undefined, taken],
      [into !== undefined, into === undefined ? [] : [into]],
      `${app} ${key}`,
    );
    await until('it has left', () => !plain!.isReceiving && !odd!.isReceiving);
  }
  for (const [type, hex, codec] of [
    [9, '9076766331', /video \(VVC, by Enhanced RTMP\) is not read here; set the encoder to H\.264, HEVC, AV1 or VP9/u],
    [9, '96007676633100', /\(VVC, by Enhanced RTMP\)/u],
    [9, '9001027f7e', /\(not known, by Enhanced RTMP\)/u],
    [9, '1d00000000', /video \(AV1\) is not read/u],
    [8, '9073706578', /sound \(spex, by Enhanced RTMP\).* set the encoder to AAC or Opus/u],
  ] as const) {
    events.length = 0;
    assert.match((await publish(port, 'live', 'the-key', [type, hex]))!, codec);
    const { state, last_refusal, video } = plain!.report;
    assert.deepEqual([state, last_refusal?.reason, video], ['refused', 'codec', null], hex);
    assert.match(last_refusal!.message, codec);
    // It is the same encoder, which comes again and again.
    const wanted = { 9076766331: ['ingest_connected', 'ingest_ended', 'ingest_refused codec'], 96007676633100: [] };
    const news = wanted[hex as '9076766331'] ?? ['ingest_refused codec'];
    assert.deepEqual(events, news, hex);
    await publish(port, 'live', 'the-key', [type, hex]);
    assert.deepEqual(events, news, 'again is no news');
  }
});

test('who connects and is silent keeps no encoder out, and an address that no Channel takes is sent away before it has said anything', async (t) => {
  const port = await freePort();
  const [open, closed] = [{}, { allowed_senders: ['192.0.2.0/24'] }].map(
    (settings, at) =>
      new Intake(rtmpOrder(at + 1, port, { stream_key: `key-${at}`, ...settings }), {
        onChange: () => undefined,
        onEvent: () => undefined,
      }),
  ) as [Intake, Intake];
  const opened = new RtmpPort({ host: '127.0.0.1', port, log: silentLog });
  cleanUp(t, () => opened.close());
  opened.setIntakes([open, closed]);
  await until('it listens', () => answers(port));
  const silent = await crowd(t, port, countOf(260, 700));
  const begun = await crowd(t, port, countOf(260, 700), { first: Buffer.from([3]) });
  assert.equal(await publish(port, 'live', 'key-0'), undefined);
  await until('the silent ones have given way', () => silent.every(({ closed }) => closed));
  assert.ok(begun.some(({ closed }) => !closed));

  opened.setIntakes([closed]);
  const [sender] = await crowd(t, port, 1);
  await until('its end', () => sender!.closed);
  assert.equal(sender!.bytesRead, 0);
  const { reason, message } = closed.report.last_refusal!;
  assert.deepEqual([reason, message], ['sender', 'The address 127.0.0.1 is not among those that may send here.']);
});

test('a reader begins with the last keyframe, any number of them read, and none slows the encoder; rate, size and sound are those that come', async (t) => {
  const dir = testFolder(t, 'push');
  const port = await freePort();
  const ids = RATES.map((_, at) => at + 1);
  const push = await startPush(t, dir, ...ids.map((id) => rtmpOrder(id, port)));
  const idle = readPushed(dir, 1);
  cleanUp(t, () => void idle.destroy());
  const pushers = RATES.map(([rate], at) => feed(t, clip(dir, rate), ...url(port, `live/canary-key-${at + 1}`)));
  const waiting = push.read(1, 1000);
  await until('the rates', async () =>
    (await Promise.all(ids.map(push.report))).every(({ video }) => video?.fps != null),
  );
  await until('two seconds of media', async () => (await push.report(1)).bitrate_kbps > 100);
  assert.equal((await waiting).media.toString('latin1', 0, 3), 'FLV');
  const found = await Promise.all(ids.map(push.report));
  for (const [at, [, fps]] of RATES.entries()) {
    const { video, audio, captions } = found[at]!;
    assert.ok(Math.abs(video!.fps! / fps - 1) < 0.005, `${video!.fps} of ${fps}`);
    assert.deepEqual([video!.codec, video!.width, video!.height], ['h264', 320, 180]);
    assert.deepEqual(audio, [{ codec: 'aac', channels: 2, sample_rate: 48_000, language: null }]);
    assert.deepEqual(captions, []);
  }
  const reads = await Promise.all(Array.from({ length: 4 }, () => push.read(1, 20_000)));
  for (const { media } of reads) {
    const path = join(dir, 'read.flv');
    writeFileSync(path, media);
    const entries = ['-show_entries', 'packet=flags', '-select_streams', 'v', '-of', 'csv=p=0', path];
    const [first] = execFileSync('ffprobe', ['-v', 'quiet', ...entries], { encoding: 'utf8' }).split('\n');
    assert.match(first!, /^K/u);
  }
  // One that never reads holds nobody up.
  idle.pause();
  assert.deepEqual(
    pushers.map((one) => one.words()),
    pushers.map(() => ''),
  );
  const last = readPushed(dir, 2);
  cleanUp(t, () => void last.destroy());
  const ended = once(last, 'close');
  // One that comes after the encoder would wait for the next.
  await once(last, 'data');
  pushers[1]!.kill();
  await ended;
  assert.equal((await push.report(2)).state, 'waiting');
});

test('a new key refuses the next encoder alone; another port, a disabled and a removed Channel send theirs away', async (t) => {
  const dir = testFolder(t, 'push');
  const [port, other] = [await freePort(), await freePort()];
  const push = await startPush(t, dir, rtmpOrder(1, port), rtmpOrder(2, port));
  const file = clip(dir);
  const first = feed(t, file, ...url(port, 'live/canary-key-1'));
  const second = feed(t, file, ...url(port, 'live/canary-key-2'));
  for (const id of [1, 2]) await until('receiving', async () => (await push.report(id)).state === 'receiving');
  const { since } = await push.report(1);
  await push.order(rtmpOrder(1, port, { stream_key: 'canary-new' }), rtmpOrder(2, port));
  const old = feed(t, file, ...url(port, 'live/canary-key-1'));
  assert.notEqual(await old.ended, 0);
  const kept = await push.report(1);
  assert.deepEqual([kept.state, kept.since, kept.last_refusal?.reason], ['receiving', since, 'key']);

  await push.order(rtmpOrder(1, other, { stream_key: 'canary-new' }));
  await Promise.all([first.ended, second.ended]);
  await until('the other port', () => answers(other));
  assert.equal(await answers(port), false);
  assert.equal((await push.report(1)).state, 'waiting');
  await assert.rejects(push.report(2));
  await until('both ends', () => push.events.filter(({ kind }) => kind === 'ingest_ended').length === 2);
});

test('an encoder that is silent for 3 s yields to the next one', async (t) => {
  const dir = testFolder(t, 'push');
  const port = await freePort();
  setClock(dir, 1000);
  const push = await startPush(t, dir, rtmpOrder(1, port));
  const file = clip(dir);
  const silent = feed(t, file, ...url(port, 'live/canary-key-1'));
  await until('receiving', async () => (await push.report(1)).state === 'receiving');
  silent.signal('SIGSTOP');
  await until('it stands still', () => /\) T /u.test(readFileSync(`/proc/${silent.pid}/stat`, 'utf8')));
  setClock(dir, 3999);
  const early = feed(t, file, ...url(port, 'live/canary-key-1'));
  assert.notEqual(await early.ended, 0);
  // Whenever the last of what it had sent was taken, which was before the early one was refused.
  setClock(dir, 6999);
  feed(t, file, ...url(port, 'live/canary-key-1'));
  const ends = (): boolean => push.events.filter(({ kind }) => kind === 'ingest_connected').length === 2;
  await until('the next one', ends);
  assert.equal((await push.report(1)).state, 'receiving');
});

test('a port that is taken is said, with the remedy, and opened when it is free', async (t) => {
  const dir = testFolder(t, 'push');
  const taken = createServer().listen(0, '127.0.0.1');
  cleanUp(t, () => taken.close());
  await until('its port', () => taken.address() !== null);
  const { port } = taken.address() as { port: number };
  const push = await startPush(t, dir, rtmpOrder(1, port));
  await until('failed', async () => (await push.report(1)).state === 'failed');
  assert.match(
    (await push.report(1)).error!,
    new RegExp(`TCP port ${port} for RTMP is in use on this Device; set another port`, 'u'),
  );
  taken.close();
  await until('waiting', async () => (await push.report(1)).state === 'waiting');
  assert.equal(await answers(port), true);
  assert.equal((await push.report(1)).error, null);
});
