/** RTMP as bytes: what comes in pieces, what is out of bounds, what a stranger may not do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FlvJoiner } from '../../../device/media/rtmp/flv-joiner.ts';
import { readAmf, writeAmf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { ChunkReader, ChunkWriter, writeChunks, type RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { RtmpPublishing } from '../../../device/media/rtmp/rtmp-publishing.ts';
import { RtmpSession } from '../../../device/media/rtmp/rtmp-session.ts';

const big = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));

function read(bytes: Buffer, step: number): RtmpMessage[] {
  const messages: RtmpMessage[] = [];
  const reader = new ChunkReader(({ frame: _, ...message }) => messages.push(message));
  for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
  return messages;
}

test('AMF0 that is written is read, and what is cut short, too deep or unknown is refused', () => {
  const values = ['connect', 1, { app: 'live', nested: { yes: true } }, null, undefined];
  assert.deepEqual(readAmf(writeAmf(...values)), values);
  const whole = writeAmf('publish', { a: 'b' });
  for (let length = 1; length < whole.length; length += 1) {
    if (length === writeAmf('publish').length) continue;
    assert.throws(() => readAmf(whole.subarray(0, length)), `cut at ${length}`);
  }
  assert.throws(() => readAmf(Buffer.concat(Array.from({ length: 50 }, () => Buffer.from([3, 0, 1, 97])))), RangeError);
  assert.throws(() => readAmf(Buffer.from([17])), TypeError);
  // A date, XML, an object of a class, a reference and what is not supported, with a text behind them.
  const others =
    '0b408f400000000000' +
    '0000' +
    '0f00000001' +
    '78' +
    '10000143' +
    '00016105' +
    '000009' +
    '070001' +
    '0d' +
    '02000179';
  assert.deepEqual(readAmf(Buffer.from(others, 'hex')), [1000, 'x', { a: null }, undefined, undefined, 'y']);
  assert.deepEqual(Object.keys(readAmf(writeAmf(JSON.parse('{"__proto__":1}') as never))[0] as object), ['__proto__']);
});

interface Form {
  /** The form of the first header. */
  form: number;
  size: number;
  /** The chunks that follow have the time again where it has four bytes, as the specification says; some encoders leave it out. */
  repeats: boolean;
  id?: number;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A message in chunks, by the text of the specification (§5.3.1); `time` is that of its header. */
function chunked({ type, time, stream, body }: RtmpMessage, { form, size, repeats, id = 6 }: Form): Buffer {
  const extended = time >= 0xffffff ? u32(time) : Buffer.alloc(0);
  const head = Buffer.alloc(11);
  head.writeUIntBE(Math.min(time, 0xffffff), 0, 3);
  head.writeUIntBE(body.length, 3, 3);
  head[6] = type;
  head.writeUInt32LE(stream, 7);
  const far = id - 64;
  const basic = (kind: number): number[] =>
    id < 64 ? [kind * 64 + id] : id < 320 ? [kind * 64, far] : [kind * 64 + 1, far % 256, far >> 8];
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < body.length; at += size) {
    const kind = at === 0 ? form : 3;
    parts.push(Buffer.from(basic(kind)), head.subarray(0, [11, 7, 3, 0][kind]));
    parts.push(kind < 3 || repeats ? extended : Buffer.alloc(0), body.subarray(at, at + size));
  }
  return Buffer.concat(parts);
}

const ofSize = (size: number): Buffer => writeChunks({ type: 1, stream: 0, body: u32(size) }, 2, 128);

test('each length of message is read with its last byte, for each form of header and of time, in chunks of any size', () => {
  const [first, second] = [3, 5].map((step) => Buffer.from(Array.from({ length: 300 }, (_, i) => (i * step) % 251)));
  for (const time of [40, 0xfb000000])
    for (const repeats of time === 40 ? [true] : [true, false])
      for (const size of [1, 2, 3, 4, 127, 128, 4096, 0x7fffffff])
        for (let length = 1; length <= (size < 100 ? 30 : 300); length += 1) {
          const writer = new ChunkWriter(size);
          const [one, two] = [first!, second!].map((all) => ({
            type: 9,
            time,
            stream: 1,
            body: all.subarray(0, length),
          }));
          for (const form of [0, 1, 2, 3, 'writer'] as const) {
            const bytes = (message: RtmpMessage, kind: number): Buffer =>
              form === 'writer' ? writer.write(message, 6) : chunked(message, { form: kind, size, repeats });
            const messages: RtmpMessage[] = [];
            const reader = new ChunkReader(({ frame: _, ...message }) => messages.push(message));
            reader.push(Buffer.concat([ofSize(size), bytes(one!, 0)]));
            const last = bytes(two!, form === 'writer' ? 0 : form);
            reader.push(last.subarray(0, -1));
            const what = `${length} bytes in chunks of ${size}, form ${form}, time ${time}, repeated: ${repeats}`;
            assert.equal(messages.length, 1, what);
            reader.push(last.subarray(-1));
            const later = form === 1 || form === 2 ? (2 * time) % 2 ** 32 : time;
            assert.deepEqual(messages, [one, { ...two, time: later }], what);
          }
        }
});

test('messages are the same however their bytes are cut, on chunk streams of any number, with two of them under way at once', () => {
  const message = fc.tuple(
    fc.constantFrom(5, 6, 63, 64, 319, 320, 65_599),
    fc.nat(3),
    fc.nat(600),
    fc.constantFrom(0, 40, 0xfffffe, 0xffffff, 0x1000000, 0xfb000000),
  );
  const given = [fc.array(message, { minLength: 1 }), fc.constantFrom(1, 2, 3, 128, 4096), fc.boolean()] as const;
  const property = fc.property(...given, fc.array(fc.integer({ min: 1, max: 300 })), (all, size, repeats, cuts) => {
    const lengths = new Map<number, number>();
    const parts = all.map(([id, form, wanted, time]) => {
      const length = form < 2 ? wanted : (lengths.get(id) ?? wanted);
      // A time that stands in four bytes is none that the payload begins with.
      const body = Buffer.alloc(length, 0x7e);
      const message = { type: 8, time, stream: 1, body };
      const kind = lengths.has(id) && form < 3 ? form : 0;
      lengths.set(id, length);
      return chunked(message, { form: kind, size, repeats, id });
    });
    const bytes = Buffer.concat([ofSize(size), ...parts]);
    const whole = read(bytes, bytes.length);
    assert.deepEqual(
      whole.map(({ body }) => body.every((byte) => byte === 0x7e)),
      all.map(() => true),
    );
    assert.deepEqual(read(bytes, 1), whole);
    const messages: RtmpMessage[] = [];
    const reader = new ChunkReader(({ frame: _, ...message }) => messages.push(message));
    let at = 0;
    for (const cut of [...cuts, bytes.length]) reader.push(bytes.subarray(at, (at += cut)));
    assert.deepEqual(messages, whole);
  });
  fc.assert(property, { numRuns: 200, seed: 1 });

  const a = writeChunks({ type: 8, stream: 1, body: big.subarray(0, 200) }, 5, 128);
  const b = writeChunks({ type: 9, stream: 1, body: big.subarray(0, 100) }, 6, 128);
  assert.deepEqual(
    read(Buffer.concat([a.subarray(0, 140), b, a.subarray(140)]), 9).map(({ type, body }) => [type, body.length]),
    [
      [9, 100],
      [8, 200],
    ],
  );
});

test('a stream goes on over 4 h 39 m 37 s and 9 h 19 m 14 s, whether its sender repeats the time in each chunk or not, and so does ours', () => {
  for (const repeats of [true, false, 'ours'] as const)
    for (const crossed of [0xffffff, 0x1ffffff])
      for (const deltas of [false, true]) {
        const writer = new ChunkWriter(128);
        const times = Array.from({ length: 12 }, (_, i) => crossed - 200 + 40 * i);
        const bodies = times.map((_, i) => Buffer.from(big.subarray(i, 400 + i)));
        const bytes = times.map((time, i) => {
          const isDelta = deltas && i > 0;
          const header = { type: 9, time: isDelta ? 40 : time, stream: 1, body: bodies[i]! };
          // Without deltas each begins a connection: a chunk stream of its own.
          if (repeats === 'ours') return writer.write({ ...header, time }, deltas ? 6 : 6 + i);
          return chunked(header, { form: isDelta ? 1 : 0, size: 128, repeats });
        });
        const found = read(Buffer.concat(bytes), 100);
        assert.deepEqual(
          found.map(({ time, body }) => [time, body]),
          times.map((time, i) => [time, bodies[i]]),
          `${crossed}, repeated: ${repeats}, deltas: ${deltas}`,
        );
      }
});

test('a payload that begins like its time is told from the time, once the sender has shown what it does', () => {
  for (const repeats of [true, false])
    for (const length of [1, 2, 3, 4, 5]) {
      const time = 0x01020304;
      const body = Buffer.concat([Buffer.alloc(128), u32(time), Buffer.alloc(1)]).subarray(0, 128 + length);
      const shown = { type: 9, time, stream: 1, body: Buffer.alloc(200) };
      const form = { form: 0, size: 128, repeats };
      const bytes = [chunked(shown, form), chunked({ ...shown, body }, form), chunked(shown, form)];
      // Four bytes that are the time are taken for it.
      if (!repeats && length >= 4) continue;
      const whole = read(Buffer.concat(bytes), 1);
      assert.deepEqual(whole, [shown, { ...shown, body }, shown], `${length}, ${repeats}`);
    }
});

test('RTMP chunks are bounded in sizes, streams and messages', () => {
  for (const size of [0, 0x80000000, 0xffffffff])
    assert.throws(() => read(ofSize(size), 100), new RegExp(`Chunks of ${size} bytes are out of bounds`, 'u'));
  assert.throws(() => read(Buffer.from([0xc5, 0, 0]), 3), /never sent/u);
  assert.throws(() => read(writeChunks({ type: 9, stream: 1, body: Buffer.alloc(70_000) }, 4, 128), 999), /too large/u);
  const streams = Array.from({ length: 40 }, (_, i) => writeChunks({ type: 20, stream: 0, body: big }, 3 + i, 2000));
  assert.throws(() => read(Buffer.concat(streams.map((one) => one.subarray(0, 140))), 5000), /Too many chunk streams/u);
  const half = chunked({ type: 9, time: 0, stream: 1, body: big }, { form: 0, size: 128, repeats: true }).subarray(
    0,
    99,
  );
  assert.throws(() => read(Buffer.concat([half, Buffer.alloc(41), half]), 5000), /inside another one/u);
});

test('an RTMP session takes no media before the publish is let in, and a refusal ends it', () => {
  const lines: string[] = [];
  const greet = (admit: (app: string, key: string) => string | undefined): [RtmpSession, string[]] => {
    const seen: string[] = [];
    const session = new RtmpSession({
      send: (bytes) => lines.push(bytes.toString('latin1')),
      admit,
      onMedia: ({ type }) => seen.push(`media ${type}`),
      onDone: () => seen.push('done'),
    });
    session.push(Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]));
    return [session, seen];
  };
  const command = (...values: Parameters<typeof writeAmf>): Buffer =>
    writeChunks({ type: 20, stream: 0, body: writeAmf(...values) }, 3, 128);
  const video = writeChunks({ type: 9, stream: 1, body: big.subarray(0, 50) }, 4, 128);

  assert.throws(() => greet(() => undefined)[0].push(video), /before a publish/u);
  assert.throws(() => new RtmpSession({} as never).push(Buffer.from('GET / HTTP/1.1')), /not RTMP/u);

  const [early, seenEarly] = greet(() => undefined);
  early.push(command('publish', 5, null, 'key', 'live'));
  assert.deepEqual(seenEarly, ['done'], 'no connect came first');

  const [wrong, seenWrong] = greet((app, key) => (app === 'live' && key === 'key' ? undefined : 'wrong'));
  wrong.push(command('connect', 1, { app: 'live' }));
  wrong.push(command('publish', 5, null, 'ke', 'live'));
  assert.deepEqual(seenWrong, ['done']);
  assert.match(lines.at(-1)!, /NetStream\.Publish\.BadName/u);

  const [right, seen] = greet((app, key) => (app === 'live' && key === 'key' ? undefined : 'wrong'));
  right.push(command('connect', 1, { app: 'live' }));
  right.push(command('createStream', 4, null));
  right.push(command('publish', 5, null, 'key', 'live'));
  right.push(video);
  right.push(command('deleteStream', 6, null, 1));
  assert.deepEqual(seen, ['media 9', 'done']);
});

test('a reader joins the FLV at a keyframe, with what decoders need first', () => {
  const joiner = new FlvJoiner();
  const message = (type: number, time: number, ...bytes: number[]): RtmpMessage => ({
    type,
    time,
    stream: 1,
    body: Buffer.from(bytes),
  });
  /** The type and time of each tag. */
  const names = (parts: readonly Buffer[]): string => {
    const bytes = Buffer.concat(parts);
    const found: string[] = [];
    for (let at = 0; at < bytes.length;) {
      const isHeader = bytes[at] === 0x46;
      const time = bytes.readUIntBE(at + 4, 3) + bytes[at + 7]! * 2 ** 24;
      found.push(isHeader ? 'FLV' : `${bytes[at]}@${time}`);
      at += isHeader ? 13 : 15 + bytes.readUIntBE(at + 1, 3);
    }
    return found.join(' ');
  };
  const begun = (...given: RtmpMessage[]): string => {
    for (const one of given) joiner.take(one);
    return names(joiner.beginning);
  };
  assert.equal(begun(message(9, 0, 0x17, 0, 1), message(8, 0, 0xaf, 0, 1)), '');
  assert.equal(begun(message(9, 40, 0x27, 1, 1), message(8, 40, 0xaf, 1, 1)), '');
  const start = joiner.take(message(9, 0x1000050, 0x17, 1, 1))!;
  assert.deepEqual([start.isStart, start.isHead, names([start.bytes])], [true, false, '9@16777296']);
  assert.equal(begun(), 'FLV 9@16777296 8@16777296 9@16777296');
  assert.equal(begun(message(8, 0x1000060, 0xaf, 1, 1)), 'FLV 9@16777296 8@16777296 9@16777296 8@16777312');
  assert.equal(begun(message(9, 0x1000080, 0x17, 1, 1)), 'FLV 9@16777344 8@16777344 9@16777344');
  // What changes begins anew: a picture with its next keyframe, its sound behind it without the frames of before.
  const turned = new FlvJoiner();
  const changesOf = (...given: RtmpMessage[]): boolean[] => given.map((one) => turned.take(one)!.isChange);
  const [wide, tall, stereo, mono] = [1, 2, 1, 2].map((n, i) =>
    i < 2 ? message(9, 0, 0x17, 0, n) : message(8, 0, 0xaf, 0, n),
  );
  const [key, frame] = [message(9, 10, 0x17, 1, 1), message(8, 20, 0xaf, 1, 1)];
  assert.deepEqual(changesOf(wide!, stereo!, key, frame, wide!, stereo!), [false, false, false, false, false, false]);
  assert.deepEqual([changesOf(tall!), names(turned.beginning), turned.isSettled], [[true], '', false]);
  assert.deepEqual(changesOf(key, frame, { ...mono!, time: 30 }), [false, false, true]);
  assert.deepEqual([names(turned.beginning), turned.isSettled], ['FLV 9@10 8@10 9@10 8@30', false]);
  assert.deepEqual([changesOf({ ...frame, time: 330 }), turned.isSettled], [[false], true]);
  assert.deepEqual([changesOf({ ...stereo!, time: 900 }), names(turned.beginning)], [[true], '']);
  assert.deepEqual(changesOf(key, message(8, 910, 0x2f, 1, 1), message(9, 910, 0x12, 1, 1)), [false, true, true]);
  // A reader that was ended for the change comes some keyframes later, and gets all since.
  const held = new FlvJoiner();
  for (const one of [wide!, key, { ...tall!, time: 900 }]) held.take(one);
  for (const time of [910, 1410, 1910, 4000]) held.take({ ...key, time });
  assert.equal(names(held.beginning), 'FLV 9@4000 9@4000');
  const soon = new FlvJoiner();
  for (const one of [wide!, key, { ...tall!, time: 900 }]) soon.take(one);
  for (const time of [910, 1410, 1910]) soon.take({ ...key, time });
  assert.equal(names(soon.beginning), 'FLV 9@910 9@910 9@1410 9@1910');
  const sound = new FlvJoiner();
  assert.equal(sound.take(message(8, 7, 0xaf, 1, 1))!.isStart, true);
  // What comes late begins anew: a picture with its keyframe, sound beside the picture that is there.
  const late = (at: number): boolean[] =>
    [message(9, at, 0x17, 0, 1), message(9, at, 0x17, 1, 1)].map((one) => sound.take(one)!.isChange);
  assert.deepEqual([late(400), names(sound.beginning)], [[true, false], 'FLV 9@400 9@400']);
  const silent = new FlvJoiner();
  for (const one of [wide!, key]) silent.take(one);
  assert.deepEqual(
    [message(8, 200, 0xaf, 0, 1), message(8, 900, 0xaf, 0, 1)].map((one) => silent.take(one)!.isChange),
    [false, false],
    'sound that comes with its picture is not late',
  );
  const headless = new FlvJoiner();
  for (const one of [wide!, key, { ...key, time: 900 }]) headless.take(one);
  assert.equal(
    headless.take({ ...stereo!, time: 0 })!.isChange,
    true,
    'an encoder may give its configuration the time 0',
  );
  const lateSound = new FlvJoiner();
  for (const one of [wide!, key]) lateSound.take(one);
  assert.equal(lateSound.take({ ...stereo!, time: 900 })!.isChange, true);
  assert.deepEqual([names(lateSound.beginning), lateSound.isSettled], ['FLV 9@10 8@10 9@10 8@900', false]);
});

interface Talk {
  accepted: number;
  refusals: string[];
  admitted: string[];
  media: RtmpMessage[];
  publishing: RtmpPublishing;
  /** Bytes that the publisher has sent. */
  sent: number;
}

/** A publisher and a server that hear each other. */
function talk(refusal?: string): Talk {
  const seen: Talk = { accepted: 0, refusals: [], admitted: [], media: [], sent: 0, publishing: undefined! };
  const queue: (() => void)[] = [];
  const server: RtmpSession = new RtmpSession({
    send: (bytes) => queue.push(() => seen.publishing.push(bytes)),
    admit: (...names) => {
      seen.admitted.push(names.join('/'));
      return refusal;
    },
    onMedia: (message) => seen.media.push(message),
    onDone: () => undefined,
  });
  seen.publishing = new RtmpPublishing(
    { url: 'rtmp://h:1935/app/room', app: 'app/room', key: 'a key' },
    {
      send(bytes) {
        seen.sent += bytes.length;
        server.push(bytes);
      },
      onPublishing: () => (seen.accepted += 1),
      onRefused: ({ words }) => seen.refusals.push(words),
    },
  );
  seen.publishing.start();
  while (queue.length > 0) queue.shift()!();
  for (let n = 0; n < 100 && seen.accepted > 0; n += 1)
    seen.publishing.media({ type: 9, time: 40 * n, body: Buffer.alloc(10_000, 0x27) });
  while (queue.length > 0) queue.shift()!();
  return seen;
}

test('a publisher is let in with its application and key, and hears how much the server has taken', () => {
  const { accepted, refusals, admitted, media, publishing, sent } = talk();
  assert.deepEqual([accepted, refusals, admitted], [1, [], ['app/room/a key']]);
  assert.deepEqual(
    media.map(({ time, body }) => [time, body.length]),
    media.map((_, n) => [40 * n, 10_000]),
  );
  assert.equal(media.length, 100);
  assert.ok(publishing.acknowledged > sent - 131_072 && publishing.acknowledged <= sent, `${publishing.acknowledged}`);
});

test('commands of 128 lengths in chunks of 128 bytes are heard with their last byte, by the server and by the publisher', () => {
  const command = (...values: Parameters<typeof writeAmf>): Buffer =>
    writeChunks({ type: 20, stream: 1, body: writeAmf(...values) }, 3, 128);
  const greeting = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
  for (let length = 1; length <= 128; length += 1) {
    const [app, key] = ['a'.repeat(length), 'k'.repeat(length)];
    const admitted: string[] = [];
    let answers = 0;
    const server = new RtmpSession({
      send: () => (answers += 1),
      admit: (...names) => void admitted.push(names.join('/')),
      onMedia: () => undefined,
      onDone: () => undefined,
    });
    server.push(greeting);
    const before = answers;
    server.push(command('connect', 1, { app }));
    assert.ok(answers > before, `connect to ${length} letters is answered`);
    server.push(command('publish', 5, null, key, 'live'));
    assert.deepEqual(admitted, [`${app}/${key}`]);

    let accepted = 0;
    const publisher = new RtmpPublishing(
      { url: '', app, key },
      { send: () => undefined, onPublishing: () => (accepted += 1), onRefused: () => assert.fail() },
    );
    publisher.start();
    publisher.push(greeting);
    for (const transaction of [1, 4]) publisher.push(command('_result', transaction, null, 1));
    const description = `${key} is now published.`;
    publisher.push(command('onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start', description }));
    assert.equal(accepted, 1, `an answer with ${length} letters`);
  }
});

test('what a server asks for is known as such, and the result of a request that came once more leads to nothing', () => {
  const sent: [isAnswer: boolean, bytes: Buffer][] = [];
  const chunks = (type: number, body: Buffer): Buffer => writeChunks({ type, stream: 0, body }, 3, 128);
  const publishing = new RtmpPublishing(
    { url: '', app: '', key: '' },
    {
      send: (bytes, isAnswer) => sent.push([isAnswer, bytes]),
      onPublishing: () => assert.fail(),
      onRefused: () => assert.fail(),
    },
  );
  publishing.start();
  publishing.push(Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]));
  sent.length = 0;
  publishing.push(chunks(4, Buffer.from('000600000001', 'hex')));
  assert.deepEqual(
    sent.map(([isAnswer]) => isAnswer),
    [true],
  );
  const results = [1, 4].map((transaction) => chunks(20, writeAmf('_result', transaction, null, 1)));
  const after = results.map((result) => {
    publishing.push(result);
    return sent.length;
  });
  for (const result of results) publishing.push(result);
  assert.deepEqual([after, sent.length], [[5, 6], 6]);
});

test('a publisher that is refused hears why, once', () => {
  assert.deepEqual(talk('The stream key is wrong.').refusals, ['The stream key is wrong.']);
  const publishing = new RtmpPublishing(
    { url: '', app: '', key: '' },
    { send: () => undefined, onPublishing: () => assert.fail(), onRefused: () => assert.fail() },
  );
  publishing.start();
  assert.throws(() => publishing.push(Buffer.from('HTTP/1.1 400 Bad Request')), TypeError);
});
