import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { takePictures, type LivePicture } from '../../web/live/pictures/frames.ts';
import { paint } from '../../web/live/pictures/paint.ts';
import { wantsOf } from '../../web/live/pictures/picture-want.ts';
import { takeMessages, type SseMessage } from '../../web/event-stream.ts';

const picture = fc.record({
  livestreamId: fc.integer({ min: 1, max: 0xffff_ffff }),
  takenAt: fc.integer({ min: 0, max: 4e12 }),
  left: fc.integer({ min: -32_768, max: 0 }),
  right: fc.integer({ min: -32_768, max: 0 }),
  flags: fc.integer({ min: 0, max: 31 }),
  width: fc.constantFrom(320, 640),
  jpeg: fc.uint8Array({ maxLength: 300 }),
});
type Sent = typeof picture extends fc.Arbitrary<infer T> ? T : never;

function bytesOf({ livestreamId, takenAt, left, right, flags, width, jpeg }: Sent): Buffer {
  const bytes = Buffer.alloc(28 + jpeg.length);
  bytes.writeUInt32BE(jpeg.length, 0);
  bytes.writeUInt32BE(livestreamId, 4);
  bytes.writeDoubleBE(takenAt, 8);
  bytes.writeInt16BE(left, 16);
  bytes.writeInt16BE(right, 18);
  bytes.writeUInt16BE(flags, 20);
  bytes.writeUInt16BE(width, 22);
  bytes.set(jpeg, 28);
  return bytes;
}

/** Cuts into pieces of these lengths, again and again until the end. */
function pieces(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const cut: Uint8Array[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    cut.push(bytes.subarray(from, from + length));
    from += length;
  }
  return cut;
}

const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });

describe('the stream of pictures as bytes', () => {
  it('any pictures, cut anywhere, come out as they were sent', () => {
    fc.assert(
      fc.property(fc.array(picture, { maxLength: 8 }), lengths, (sent, cuts) => {
        let rest: Uint8Array = new Uint8Array();
        const found: LivePicture[] = [];
        for (const chunk of pieces(Buffer.concat(sent.map(bytesOf)), cuts)) {
          const taken = takePictures(rest, chunk);
          rest = taken.rest;
          found.push(...taken.pictures);
        }
        assert.equal(rest.length, 0);
        const peak = (tenths: number): number | null => (tenths === -32_768 ? null : tenths / 10);
        assert.deepEqual(
          found.map((one) => ({ ...one, jpeg: [...one.jpeg] })),
          sent.map(({ left, right, jpeg, livestreamId, takenAt, flags, width }) => {
            return {
              livestreamId,
              takenAt,
              peakLeft: peak(left),
              peakRight: peak(right),
              flags,
              width,
              jpeg: [...jpeg],
            };
          }),
        );
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('bytes that are no pictures are refused, so that the connection is made anew', () => {
    const bytes = new Uint8Array(28).fill(0xff);
    assert.throws(() => takePictures(new Uint8Array(), bytes), RangeError);
  });
});

describe('a picture on its canvas', () => {
  it('keeps its shape, whatever the one before had', () => {
    let drawn: unknown[] = [];
    const context = { drawImage: (...args: unknown[]) => (drawn = args) };
    const canvas = { width: 320, height: 180, getContext: () => context };
    for (const [width, height] of [
      [180, 320],
      [320, 240],
      [320, 180],
    ] as const) {
      const bitmap = { width, height };
      paint(canvas, bitmap);
      assert.deepEqual([canvas.width, canvas.height, drawn], [width, height, [bitmap, 0, 0]]);
    }
  });
});

describe('which pictures are asked for', () => {
  it('40 a second in all, two of a tile at most, and ten of the one in solo, which its tile shares', () => {
    const wall = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
    assert.equal(wantsOf([{ wall: [2, 1], solo: undefined }]).text, '1:320:2,2:320:2');
    assert.equal(wantsOf([{ wall: wall(40), solo: undefined }]).wallPeriodMs, 1000);
    assert.equal(wantsOf([{ wall: wall(200), solo: undefined }]).wallPeriodMs, 5000);
    assert.equal(wantsOf([{ wall: [1, 2], solo: 2 }]).text, '2:640:10,1:320:2');
    assert.equal(wantsOf([]).text, '');
  });

  it('the windows of a browser ask once for what several show, and never for more than 40 a second', () => {
    const want = fc.record({
      wall: fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 200 }),
      solo: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(want, { maxLength: 3 }), (windows) => {
        const parts = wantsOf(windows)
          .text.split(',')
          .filter((part) => part !== '')
          .map((part) => part.split(':').map(Number));
        const ids = new Set(windows.flatMap(({ wall, solo }) => [...wall, ...(solo === undefined ? [] : [solo])]));
        assert.deepEqual(new Set(parts.map(([id]) => id)), ids);
        assert.equal(parts.length, ids.size);
        const total = parts.reduce((sum, [, , fps = 0]) => sum + fps, 0);
        assert.ok(total <= 40.001, `${total} a second`);
      }),
      { seed: 1 },
    );
  });
});

describe('server-sent events as text', () => {
  it('any messages, cut anywhere, come out as they were sent, comments aside', () => {
    const message = fc.record(
      {
        event: fc.constantFrom('status', 'rates', 'hello'),
        data: fc.json({ maxDepth: 1 }).filter((text) => !text.includes('\n')),
        id: fc.stringMatching(/^[a-z]{1,4}\.\d{1,3}$/u),
      },
      { requiredKeys: ['event', 'data'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), lengths, (sent, cuts) => {
        const text = sent
          .map(
            ({ event, data, id }) =>
              `: beside\n\n${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`,
          )
          .join('');
        let rest = '';
        const found: SseMessage[] = [];
        for (let from = 0, turn = 0; from < text.length; turn += 1) {
          const length = cuts[turn % cuts.length] ?? 1;
          const taken = takeMessages(rest, text.slice(from, from + length));
          rest = taken.rest;
          found.push(...taken.messages);
          from += length;
        }
        assert.deepEqual(found, sent);
      }),
      { seed: 1 },
    );
  });
});
