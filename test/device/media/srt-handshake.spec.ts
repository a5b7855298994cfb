/** SRT handshakes as bytes, laid out by hand from draft-sharabayko-srt-01 §3.2.1. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  inductionAnswer,
  isShutdown,
  readHandshake,
  refusalAnswer,
  SRT_REFUSALS,
} from '../../../device/media/srt/srt-handshake.ts';

/** Control type 0, time, destination 0; then the fields whose places are named below. */
const HEADER = '80000000 00000000 000186a0 00000000';
const REST = '00001234 000005dc 00002000';
const ADDRESS = '0100007f 00000000 00000000 00000000';
const hex = (...words: string[]): Buffer => Buffer.from(words.join('').replaceAll(' ', ''), 'hex');
/** Version 4, the extension field 2 (a datagram), type 1, socket 0x2a, no cookie. */
const INDUCTION = hex(HEADER, '00000004 0000 0002', REST, '00000001 0000002a 00000000', ADDRESS);
/** Version 5, handshake, key and configuration follow, type -1, cookie 0xcafe0001. */
const CONCLUSION = hex(HEADER, '00000005 0000 0007', REST, 'ffffffff 0000002a cafe0001', ADDRESS);
const SRT_REQUEST = hex('0001 0003 00010501 000000bf 00780078');
const KEY = hex('0003 0002 12202901 00000000');
/** "studio1" in words with the last byte first. */
const STREAM_ID = hex('0005 0002', '64757473', '00316f69');

test('the induction and the conclusion of a caller are told apart, with cookie, stream id and encryption', () => {
  assert.deepEqual(readHandshake(INDUCTION), {
    kind: 'induction',
    reason: 0,
    socketId: 0x2a,
    cookie: 0,
    streamId: '',
    keyMaterial: undefined,
  });
  const bare = {
    kind: 'conclusion',
    reason: 0,
    socketId: 0x2a,
    cookie: 0xcafe0001,
    streamId: '',
    keyMaterial: undefined,
  };
  assert.deepEqual(readHandshake(Buffer.concat([CONCLUSION, SRT_REQUEST])), bare);
  const whole = Buffer.concat([CONCLUSION, SRT_REQUEST, KEY, STREAM_ID]);
  assert.deepEqual(readHandshake(whole), { ...bare, streamId: 'studio1', keyMaterial: KEY.subarray(4) });
  const named = Buffer.concat([CONCLUSION, STREAM_ID]);
  assert.deepEqual(readHandshake(named), { ...bare, streamId: 'studio1' });
});

test('a stream id of full words, of several bytes a letter and of more than 512 bytes is read to its bound', () => {
  const idOf = (text: Buffer): string => {
    const words = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4)]).swap32();
    const head = Buffer.from([0, 5, (words.length / 4) >> 8, (words.length / 4) & 255]);
    return readHandshake(Buffer.concat([CONCLUSION, head, words]))!.streamId;
  };
  for (const text of ['a', 'abcd', '#!::r=studio,m=publish', 'Übertragung'])
    assert.equal(idOf(Buffer.from(text)), text);
  assert.equal(idOf(Buffer.alloc(600, 'x')), 'x'.repeat(512));
});

test('media, other control packets and what is cut short are no handshakes', () => {
  const whole = Buffer.concat([CONCLUSION, SRT_REQUEST, KEY, STREAM_ID]);
  const ends = [CONCLUSION, SRT_REQUEST, KEY, STREAM_ID].map((_, at, parts) =>
    parts.slice(0, at + 1).reduce((sum, { length }) => sum + length, 0),
  );
  for (let length = 0; length < whole.length; length += 1) {
    const read = readHandshake(whole.subarray(0, length));
    // Up to three bytes behind an extension are too few for another one.
    const isWhole = ends.some((end) => length >= end && length < end + 4);
    assert.equal(read !== undefined, isWhole, `cut at ${length}`);
  }
  const media = Buffer.from(CONCLUSION);
  media[0] = 0;
  assert.equal(readHandshake(media), undefined);
  const keepalive = Buffer.from(CONCLUSION);
  keepalive[1] = 1;
  assert.equal(readHandshake(keepalive), undefined);
  assert.deepEqual([isShutdown(keepalive), isShutdown(CONCLUSION)], [false, false]);
  const shutdown = hex('80050000 00000000 000186a0 0000002a');
  assert.deepEqual([isShutdown(shutdown), isShutdown(shutdown.subarray(0, 15))], [true, false]);
});

test('an induction is answered with the version, the cookie and the key length of a listener', () => {
  const answer = inductionAnswer(INDUCTION, 0xdeadbeef, 0x77, 192);
  const header = '80000000 00000000 000186a0 0000002a';
  const expected = hex(header, '00000005 0003 4a17', REST, '00000001 00000077 deadbeef', ADDRESS);
  assert.equal(answer.toString('hex'), expected.toString('hex'));
  assert.equal(inductionAnswer(INDUCTION, 0, 1, 0).readUInt16BE(20), 0);
});

test('a refusal goes to the socket of the caller, names its reason, and has no extensions', () => {
  const refusal = refusalAnswer(Buffer.concat([CONCLUSION, SRT_REQUEST, STREAM_ID]), SRT_REFUSALS.busy);
  const header = '80000000 00000000 000186a0 0000002a';
  const expected = hex(header, '00000005 0000 0000', REST, '00000969 0000002a cafe0001', ADDRESS);
  assert.equal(refusal.toString('hex'), expected.toString('hex'));
  for (const reason of Object.values(SRT_REFUSALS)) {
    const { kind, reason: read } = readHandshake(refusalAnswer(CONCLUSION, reason))!;
    assert.deepEqual([kind, read], ['refusal', reason]);
  }
});
