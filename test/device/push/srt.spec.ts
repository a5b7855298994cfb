/** SRT listeners of the push process: who is let in, what is said of the others, and what a reader gets. */
import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo } from 'node:dgram';
import { test } from 'node:test';
import type { IngestReport } from '../../../domain/shapes/sources/ingest.ts';
import { PACKET_BYTES, pidOf } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { ProgramReader } from '../../../device/media/mpeg-ts/program-reader.ts';
import { patPacket, pmtPackets, type ElementaryStream } from '../../../device/media/mpeg-ts/psi.ts';
import { readPushed } from '../../../device/push/push-reader.ts';
import { TsIntake } from '../../../device/push/ts-intake.ts';

import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { letPass } from '../../helpers/pass.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { clip } from '../runner/runner-fixture.ts';
import { feed, keepFeeding } from '../runner/feeder.ts';
import { startPush } from './push-fixture.ts';
import { assertOwnBytes, encoder, srtOrder, transportStreamOf, type SrtEncoder } from './srt-callers.ts';
import { wordsOf } from '../../helpers/words.ts';

const PASSPHRASE = 'canary-phrase-1';
const RIGHT = `&passphrase=${PASSPHRASE}&pbkeylen=16`;
const WRONG = 'passphrase: The passphrase is wrong.';
/** After three seconds a silent encoder yields. */
const SILENT_MS = 3200;
/** Shutdown, shutdown to nobody, acknowledgement, a loss of everything, and a conclusion of a socket that is none of the encoder's. */
const FORGED = [
  '80050000 00000000 00000000 12345678',
  '80050000 00000000 00000000 00000000',
  '80020000 00000001 00000000 12345678 7fffffff',
  '80030000 00000000 00000000 12345678 80000000 7fffffff',
  `80000000 00000000 00000000 00000000 00000005 00000001 00001234 000005dc 00002000 ffffffff 00000bad 00000000 ${'00'.repeat(16)}`,
];
const FROM_STDIN = wordsOf('-v error -probesize 100000 -f mpegts -i pipe:0 -c copy -f mpegts');
const BYTES_FROM_STDIN = wordsOf('-v error -probesize 32 -f data -i pipe:0 -map 0 -c copy -f data');
/** New keys with every 64 packets. The length is the caller's, whatever the Channel says. */
const RENEWED = `&passphrase=${PASSPHRASE}&pbkeylen=24&kmrefreshrate=64&kmpreannounce=20`;

/** A port whose callers, one after the other, reach the listener from one and the same port, as those behind a router may. */
async function throughOnePort(
  t: TestScope,
  listener: number,
): Promise<{ port: number; forge(hex: string): Promise<void> }> {
  const [front, back] = [createSocket('udp4'), createSocket('udp4')];
  cleanUp(t, () => [front, back].forEach((socket) => socket.close()));
  let caller: RemoteInfo | undefined;
  front.on('message', (data, from) => {
    caller = from;
    back.send(data, listener, '127.0.0.1');
  });
  back.on('message', (data) => caller !== undefined && front.send(data, caller.port, caller.address));
  const port = await freePort();
  await new Promise<void>((resolve) => front.bind(port, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => back.bind(0, '127.0.0.1', resolve));
  return {
    port,
    // What comes from the encoder's address and is not its own.
    forge: (hex) =>
      new Promise((sent) =>
        back.send(Buffer.from(hex.replaceAll(' ', ''), 'hex'), listener, '127.0.0.1', () => sent()),
      ),
  };
}

test('callers of SRT listeners', async (t) => {
  const dir = testFolder(t, 'push-srt');
  const [plain, secret, named, returning] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const [clear, encrypted] = [await freePort(), await freePort()];
  const file = clip(dir);
  const call = (port: number, query = ''): ReturnType<typeof feed> =>
    feed(t, file, '-f', 'mpegts', `srt://127.0.0.1:${port}?mode=caller${query}`);
  const push = await startPush(
    t,
    dir,
    srtOrder(1, plain),
    srtOrder(2, secret, { passphrase: PASSPHRASE, encryption: 128 }),
    srtOrder(3, named, { streamid: 'studio1' }),
    srtOrder(4, returning),
    // On a busy machine what is lost needs time to be sent again.
    srtOrder(5, clear, { latency_ms: 4000 }),
    srtOrder(6, encrypted, { passphrase: PASSPHRASE, encryption: 128, latency_ms: 4000 }),
  );
  const state = async (channelId: number): Promise<string> => (await push.report(channelId)).state;
  const refusal = async (channelId: number): Promise<string | undefined> => {
    const { last_refusal: last } = await push.report(channelId);
    return last === null ? undefined : `${last.reason}: ${last.message}`;
  };
  assert.equal(await state(1), 'waiting');
  const piped = (args: readonly string[], port: number, query: string): SrtEncoder =>
    encoder(t, 'ffmpeg', [...args, `srt://127.0.0.1:${port}?mode=caller${query}`]);

  await t.test(
    "a reader gets the caller's own bytes, without a passphrase and with one, through renewed keys",
    async () => {
      const bytes = transportStreamOf(file);
      for (const [channelId, port, query] of [
        [5, clear, ''],
        [6, encrypted, RENEWED],
      ] as const)
        await assertOwnBytes(push, channelId, piped(BYTES_FROM_STDIN, port, query), bytes);
    },
  );

  await t.test(
    'a caller is received, a second one is refused as busy, and the next one comes in after it',
    async () => {
      const first = call(plain);
      await until('a picture is known', async () => (await push.report(1)).video?.fps != null);
      const { video, audio, from } = await push.report(1);
      assert.deepEqual([video?.codec, audio[0]?.codec, from], ['h264', 'aac', '127.0.0.1']);
      const { media } = await push.read(1, 100_000);
      assert.equal(media[0], 0x47, 'a reader begins with a packet of the transport stream');
      assert.notEqual(await call(plain).ended, 0);
      assert.deepEqual([await state(1), await refusal(1)], ['receiving', 'busy: Somebody sends here already.']);
      first.kill();
      await until('it waits again', async () => (await state(1)) !== 'receiving');
      call(plain);
      await until('the next one is received', async () => (await state(1)) === 'receiving');
    },
  );

  await t.test('none and a wrong passphrase are refused in words of their own, the right one is let in', async () => {
    assert.notEqual(await call(secret).ended, 0);
    assert.equal(await refusal(2), 'passphrase: It sends without a passphrase.');
    assert.notEqual(await call(secret, '&passphrase=another-phrase').ended, 0);
    assert.deepEqual([await state(2), await refusal(2)], ['refused', WRONG]);
    const right = call(secret, RIGHT);
    await until('it is received', async () => (await state(2)) === 'receiving');
    right.kill();
    await until('it has left', async () => (await state(2)) !== 'receiving');
  });

  await t.test(
    'a silent encoder stays through an attempt with a wrong passphrase, and yields to the right one',
    async () => {
      const silent = piped(FROM_STDIN, secret, RIGHT);
      silent.stdin.write(transportStreamOf(file));
      await until('it is received', async () => (await push.report(2)).video !== null);
      const { since, last_refusal: earlier } = await push.report(2);
      await letPass(SILENT_MS);
      assert.notEqual(await call(secret, '&passphrase=another-phrase').ended, 0);
      const after: IngestReport = await push.report(2);
      assert.deepEqual([after.state, after.since, await refusal(2)], ['receiving', since, WRONG]);
      assert.notEqual(after.last_refusal?.at, earlier?.at);
      assert.equal(silent.exitCode, null);
      const next = call(secret, RIGHT);
      await until('the next one is received', async () => (await push.report(2)).since !== since);
      assert.equal(await state(2), 'receiving');
      const ends = push.events.filter(({ kind, channelId }) => kind === 'ingest_ended' && channelId === 2);
      assert.match(ends.at(-1)!.message, /another encoder has taken its place/u);
      next.kill();
      await until('it has left', async () => (await state(2)) !== 'receiving');
    },
  );

  await t.test('who was let in is let in again soon while others at its address guess the passphrase', async () => {
    const wrong = Array.from({ length: 9 }, (_, i) => `&passphrase=guess-number-${i}`);
    for (const query of wrong) assert.notEqual(await call(secret, query).ended, 0);
    const right = keepFeeding(t, file, '-f', 'mpegts', `srt://127.0.0.1:${secret}?mode=caller${RIGHT}`);
    await until('it is received', async () => (await state(2)) === 'receiving');
    right.kill();
    await until('it has left', async () => (await state(2)) !== 'receiving');
  });

  await t.test('a caller with another stream id is refused', async () => {
    assert.notEqual(await call(named, '&streamid=other').ended, 0);
    assert.equal(await refusal(3), 'streamid: The stream id is wrong.');
    call(named, '&streamid=studio1');
    await until('it is received', async () => (await state(3)) === 'receiving');
  });

  await t.test(
    'a goodbye, an acknowledgement and a handshake that are forged end nothing; an encoder that died and was started anew has the same port, and is received within ten seconds',
    async () => {
      const { port, forge } = await throughOnePort(t, returning);
      const dead = call(port);
      await until('it is received', async () => (await push.report(4)).video !== null);
      const { since } = await push.report(4);
      const reader = readPushed(dir, 4);
      cleanUp(t, () => void reader.destroy());
      let bytes = 0;
      reader.on('data', (chunk: Buffer) => (bytes += chunk.length));
      for (const packet of FORGED) await forge(packet);
      // More than what an encoder that leaves has written on within the time that it is given.
      await until('media goes on', () => bytes > 200_000);
      assert.deepEqual([reader.closed, (await push.report(4)).since], [false, since]);
      dead.kill();
      keepFeeding(t, file, '-f', 'mpegts', `srt://127.0.0.1:${port}?mode=caller`);
      await until(
        'it is received again',
        async () => (await push.report(4)).since !== since && (await state(4)) === 'receiving',
      );
    },
  );
  const kinds = new Set(push.events.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['ingest_connected', 'ingest_ended', 'ingest_refused']);
});

test('a reader gets a transport stream whose map is in packets that do not stand side by side, and begins anew when it changes', () => {
  const streams = (count: number, video = 0x100): ElementaryStream[] => [
    { pid: video, type: 0x1b, descriptors: Buffer.alloc(0) },
    ...Array.from({ length: count }, (_, i) => ({
      pid: 0x101 + i,
      type: 0x0f,
      descriptors: Buffer.from('0a04656e6700', 'hex'),
    })),
  ];
  const key = (pid: number): Buffer => {
    const packet = Buffer.alloc(PACKET_BYTES, 0xff);
    packet.set([0x47, 0x40 | (pid >> 8), pid & 0xff, 0x30, 1, 0x40, 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0]);
    return packet;
  };
  const readers: string[] = [];
  const [taken, renewed]: [boolean[], number[]] = [[], []];
  const intake = {
    take: (_: unknown, { isStart }: { isStart: boolean }) => void taken.push(isStart),
    renew: () => void renewed.push(taken.length),
    depart: () => undefined,
  };
  const media = new TsIntake(intake);
  const push = (count: number, video: number): void => {
    const map = pmtPackets(streams(count, video), video, 0);
    assert.equal(map.length, 2 * PACKET_BYTES);
    const [first, second] = [map.subarray(0, PACKET_BYTES), map.subarray(PACKET_BYTES)];
    media.take(Buffer.concat([patPacket(0), first, key(0x900), second, key(video)]));
  };
  push(20, 0x100);
  const programs = new ProgramReader();
  const beginning = Buffer.concat(media.beginning);
  for (let at = 0; at < beginning.length; at += PACKET_BYTES)
    for (const table of programs.push(beginning, at)) readers.push(`${table.streams?.length ?? 'pat'}`);
  assert.deepEqual([readers, beginning.length / PACKET_BYTES], [['pat', '21'], 4]);
  push(20, 0x100);
  assert.deepEqual([taken.at(-1), renewed], [true, []], 'the same map is no change');
  push(20, 0x200);
  assert.deepEqual([renewed.length, pidOf(Buffer.concat(media.beginning), 3 * PACKET_BYTES)], [1, 0x200]);
});
