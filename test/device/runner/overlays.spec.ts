/** Layers over frames that stand still, and texts that go with the clock. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TextSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { overlayOf } from '../../../device/media/frames/overlay.ts';
import { TextPainter, type TextSheet } from '../../../device/media/frames/text-painter.ts';
import { TextTokens } from '../../../device/media/frames/text-tokens.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { Overlays, TextOverlay } from '../../../device/runner/playout/overlays.ts';

const SIZE = { width: 320, height: 180 };
const TEXT: TextSpec = { text: '%C', position: 'Top', size: 60, color: '#ffffff' };

/** A sheet that keeps what it was asked to paint. */
async function recorded(): Promise<{ sheet: TextSheet; requests: string[] }> {
  const requests: string[] = [];
  const sheet = (await TextPainter.load()).sheet(TEXT, SIZE);
  const paint = sheet.paint.bind(sheet);
  sheet.paint = (text) => {
    requests.push(text);
    return paint(text);
  };
  return { sheet, requests };
}

it('a frame that is shown again is blended once and is not changed itself', () => {
  const pool = new FramePool(frameBytes(SIZE));
  const graphics = new Overlays(pool, SIZE);
  const held = pool.acquire();
  held.bytes.fill(100);
  const before = Buffer.from(held.bytes);
  const half = { width: 8, height: 8, data: new Uint8Array(8 * 8 * 4).fill(128) };
  const logo = overlayOf(half, { x: 10, y: 10 }, SIZE);
  const layers = { logo, text: undefined };
  const first = graphics.applyTo(held, layers, 0);
  const copy = Buffer.from(first.bytes);
  assert.notEqual(first, held);
  assert.notDeepEqual(copy, before);
  assert.equal(graphics.applyTo(held, layers, 33), first, 'not even copied again');
  assert.deepEqual(first.bytes, copy);
  assert.deepEqual(held.bytes, before);
  assert.equal(graphics.applyTo(held, { logo: undefined, text: undefined }, 66), held);

  const next = pool.acquire();
  next.bytes.fill(50);
  const other = graphics.applyTo(next, layers, 99);
  assert.equal(other.bytes[0], 50);
  graphics.clear();
});

it('a frame that waits for the encoder is not painted over', () => {
  const pool = new FramePool(frameBytes(SIZE));
  const graphics = new Overlays(pool, SIZE);
  const logo = overlayOf({ width: 4, height: 4, data: new Uint8Array(64).fill(255) }, { x: 0, y: 0 }, SIZE);
  const sent = [1, 2, 3].map((value) => {
    const base = pool.acquire();
    base.bytes.fill(value);
    const frame = graphics.applyTo(base, { logo, text: undefined }, 0);
    frame.retain();
    base.release();
    return frame;
  });
  assert.deepEqual(
    sent.map(({ bytes }) => bytes.at(-1)),
    [1, 2, 3],
  );
  for (const frame of sent) frame.release();
  graphics.clear();
});

it('a chronometer is painted once a second, by its own seconds, and a text without tokens once', async () => {
  const { sheet, requests } = await recorded();
  const since = 1_000_400;
  const text = new TextOverlay(TEXT, sheet, new TextTokens('UTC'), since);
  for (let now = since; now < since + 3000; now += 33) text.at(now);
  assert.deepEqual(requests, ['00:00:00', '00:00:01', '00:00:02']);
  assert.equal(text.at(since + 2999), text.at(since + 2970), 'the same array: nothing to blend anew');

  const wall = await recorded();
  const clock = new TextOverlay({ ...TEXT, text: '%S' }, wall.sheet, new TextTokens('UTC'), since);
  for (let now = since; now < since + 2000; now += 33) clock.at(now);
  assert.deepEqual(wall.requests, ['40', '41', '42']);

  const still = await recorded();
  const fixed = new TextOverlay({ ...TEXT, text: 'LIVE 100%' }, still.sheet, new TextTokens('UTC'));
  for (let now = 0; now < 5000; now += 100) fixed.at(now);
  assert.deepEqual(still.requests, ['LIVE 100%']);
});
