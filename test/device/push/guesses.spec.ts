/** Who guesses stream keys and stream ids waits; who knows one does not wait for him. */
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { WrongSecrets } from '../../../domain/network/wrong-secrets.ts';
import { readHandshake, SRT_REFUSALS, type SrtHandshake } from '../../../device/media/srt/srt-handshake.ts';
import { Intake } from '../../../device/push/intake.ts';
import { RtmpPort } from '../../../device/push/rtmp-port.ts';
import { SrtPort } from '../../../device/push/srt-port.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { until } from '../../helpers/until.ts';
import { publish, rtmpOrder } from './push-fixture.ts';

/** A caller by libsrt sent it, with another passphrase. */
const KEY_MATERIAL = Buffer.from(
  '1220290100000000020002000000040418d031ac06814e6a1951340c293aa240e7c3503f88aadcdb906493fbf58fb706182d1a3c845fcfa6',
  'hex',
);
const HOOKS = { onChange: (): void => undefined, onEvent: (): void => undefined };

test('five wrong secrets of a network are free, each further one doubles the wait to 30 s, and nobody else waits', () => {
  let now = 0;
  const wrong = new WrongSecrets(() => now);
  const [guesser, sameNetwork] = ['2001:db8::1', '2001:db8::ffff:2'];
  wrong.noteRight(sameNetwork, 'known');
  const waits = Array.from({ length: 12 }, () => {
    const seconds = wrong.waitSeconds(guesser, 'guess');
    assert.equal(wrong.waitSeconds(guesser, 'other guess'), seconds, 'a look makes no wait longer');
    now += seconds * 1000;
    assert.equal(wrong.waitSeconds(guesser, 'guess'), 0);
    wrong.count(guesser);
    return seconds;
  });
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30]);
  assert.equal(wrong.waitSeconds(sameNetwork, 'right'), 30);
  for (const [address, secret] of [
    [sameNetwork, 'known'],
    ['2001:db8:0:1::1', 'guess'],
    ['192.0.2.7', 'guess'],
  ] as const)
    assert.equal(wrong.waitSeconds(address, secret), 0, address);
  wrong.noteRight(guesser, 'right');
  assert.equal(wrong.waitSeconds(guesser, 'right'), 0);
  assert.equal(wrong.waitSeconds(guesser, 'guess'), 30, 'a right one forgives no guesses');
  assert.equal(wrong.waitSeconds(guesser, 'right', 2000), 2, 'it is known by a name alone');
  now += 15 * 60_000;
  assert.equal(wrong.waitSeconds(guesser, 'guess'), 0);
});

test('a port of RTMP looks at no further key of a guesser, lets in at once who was let in before, and goes on with both after the wait', async (t) => {
  const port = await freePort();
  const rtmp = new RtmpPort({ host: '127.0.0.1', port, log: silentLog });
  cleanUp(t, () => rtmp.close());
  const intakes = [new Intake(rtmpOrder(1, port), HOOKS), new Intake(rtmpOrder(2, port), HOOKS)];
  rtmp.setIntakes(intakes);
  assert.equal(
    await until('it listens', () =>
      publish(port, 'live', 'canary-key-1').then(
        () => true,
        () => false,
      ),
    ),
    true,
  );
  await until('the encoder has left', () => !intakes[0]!.isBusy);
  const answers: (string | undefined)[] = [];
  await until('a wait', async () => {
    answers.push(await publish(port, 'live', `guess-${answers.length}`));
    return /Too many wrong keys .* Try again in \d+ s\./u.test(answers.at(-1) ?? '');
  });
  assert.ok(answers.length > 5);
  assert.deepEqual(
    answers.slice(0, -1).filter((answer) => answer !== 'The application or the key is wrong.'),
    [],
  );
  assert.equal(await publish(port, 'live', 'canary-key-1'), undefined, 'its key is known from here');
  await until(
    'another key of a Channel is looked at again',
    async () => (await publish(port, 'live', 'canary-key-2')) === undefined,
  );
});

test('a port of SRT looks at no further stream id of a guesser', async (t) => {
  const port = await freePort();
  const settings = { mode: 'listener', port, latency_ms: 120, streamid: 'studio1' } as const;
  const intake = new Intake({ channelId: 1, name: 'Channel 1', type: 'SRT', settings }, HOOKS);
  const srt = new SrtPort('127.0.0.1', port, intake);
  cleanUp(t, () => srt.close());
  const codes: number[] = [];
  await until('a wait', async () => {
    codes.push((await call(port, `guess-${codes.length}`)).reason);
    return codes.at(-1) === SRT_REFUSALS.wait;
  });
  assert.ok(codes.length > 5);
  assert.deepEqual(new Set(codes.slice(0, -1)), new Set([SRT_REFUSALS.streamid]));
});

test('a port of SRT tries no further passphrase of a guesser', async (t) => {
  const port = await freePort();
  const settings = { mode: 'listener', port, latency_ms: 120, passphrase: 'another-phrase', encryption: 128 } as const;
  const refused: string[] = [];
  const onEvent = (_: number, { message }: { message: string }): void => void refused.push(message);
  const intake = new Intake({ channelId: 1, name: 'Channel 1', type: 'SRT', settings }, { ...HOOKS, onEvent });
  const srt = new SrtPort('127.0.0.1', port, intake);
  cleanUp(t, () => srt.close());
  const reasonOf = async (keyMaterial: Buffer): Promise<number> => (await call(port, '', keyMaterial)).reason;
  const gcm = Buffer.from(KEY_MATERIAL).fill(4, 8, 9);
  assert.equal(await reasonOf(gcm), SRT_REFUSALS.passphrase);
  const codes: number[] = [];
  await until('a wait', async () => {
    // Some that can be read, and some that are cut.
    codes.push(await reasonOf(KEY_MATERIAL.subarray(0, KEY_MATERIAL.length - 8 * (codes.length % 2))));
    return codes.at(-1) === SRT_REFUSALS.wait;
  });
  assert.ok(codes.length > 5);
  assert.deepEqual(new Set(codes.slice(0, -1)), new Set([SRT_REFUSALS.badSecret]));
  assert.match(refused[0]!, /AES-GCM, which is not taken/u);
  assert.deepEqual(
    refused.slice(1).filter((message) => !message.endsWith('The passphrase is wrong.')),
    [],
  );
});

test('a caller of SRT that repeats its handshake has guessed once', async (t) => {
  const port = await freePort();
  const settings = { mode: 'listener', port, latency_ms: 120, passphrase: 'another-phrase', encryption: 128 } as const;
  const intake = new Intake({ channelId: 1, name: 'Channel 1', type: 'SRT', settings }, HOOKS);
  const srt = new SrtPort('127.0.0.1', port, intake);
  cleanUp(t, () => srt.close());
  const { socket, ask, conclusion } = await begin(port, '', KEY_MATERIAL);
  cleanUp(t, () => void socket.close());
  const codes: (number | undefined)[] = [];
  while (codes.length < 12) codes.push(readHandshake(await ask(conclusion))?.reason);
  assert.deepEqual(new Set(codes), new Set([SRT_REFUSALS.badSecret]));
  assert.equal((await call(port, '', KEY_MATERIAL)).reason, SRT_REFUSALS.badSecret, 'nobody waits for it');
});

interface Begun {
  socket: Socket;
  ask(datagram: Buffer): Promise<Buffer>;
  conclusion: Buffer;
}

/** The answer to a caller with this stream id. */
async function call(port: number, streamId: string, keyMaterial?: Buffer): Promise<SrtHandshake> {
  const { socket, ask, conclusion } = await begin(port, streamId, keyMaterial);
  const answer = readHandshake(await ask(conclusion))!;
  socket.close();
  return answer;
}

/** A caller that has its cookie (draft-sharabayko-srt-01 §3.2.1). */
async function begin(port: number, streamId: string, keyMaterial?: Buffer): Promise<Begun> {
  const socket = createSocket('udp4');
  const ask = async (datagram: Buffer): Promise<Buffer> => {
    const timer = setInterval(() => socket.send(datagram, port, '127.0.0.1'), 100);
    socket.send(datagram, port, '127.0.0.1');
    try {
      return ((await once(socket, 'message')) as [Buffer])[0];
    } finally {
      clearInterval(timer);
    }
  };
  const text = Buffer.alloc(Math.ceil(streamId.length / 4) * 4);
  text.write(streamId);
  const head = Buffer.alloc(64);
  head.writeUInt16BE(0x8000, 0);
  head.writeUInt32BE(4, 16);
  head.writeUInt16BE(2, 22);
  head.writeUInt32BE(1, 36);
  head.writeUInt32BE(4711, 40);
  const { cookie } = readHandshake(await ask(head))!;
  const extension = (kind: number, content: Buffer): Buffer => {
    const start = Buffer.alloc(4);
    start.writeUInt16BE(kind, 0);
    start.writeUInt16BE(content.length / 4, 2);
    return Buffer.concat([start, content]);
  };
  const keys = keyMaterial === undefined ? [] : [extension(3, keyMaterial)];
  const live = Buffer.from('000105010000003f00780078', 'hex');
  const conclusion = Buffer.concat([head, extension(1, live), extension(5, text.swap32()), ...keys]);
  conclusion.writeUInt32BE(5, 16);
  conclusion.writeUInt32BE(0xffff_ffff, 36);
  conclusion.writeUInt32BE(cookie, 44);
  return { socket, ask, conclusion };
}
