/** Texts on the picture: tokens, lines, and what is painted. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import type { TextSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Overlay } from '../../../device/media/frames/overlay.ts';
import { safeArea } from '../../../device/media/frames/placement.ts';
import { TextPainter } from '../../../device/media/frames/text-painter.ts';
import { chronometer, TextTokens } from '../../../device/media/frames/text-tokens.ts';
import { wrapText } from '../../../device/media/frames/text-wrap.ts';

const NEW_YEAR = Date.UTC(2025, 11, 31, 23, 4, 5);

describe('tokens', () => {
  it('the tokens of a text are the seven, in the zone of the run; every other per cent sign is one', () => {
    const all = '%d.%m.%Y %H:%M:%S %C';
    assert.equal(new TextTokens('UTC').expand(all, NEW_YEAR, NEW_YEAR - 3_725_000), '31.12.2025 23:04:05 01:02:05');
    assert.equal(new TextTokens('Asia/Kolkata').expand(all, NEW_YEAR, NEW_YEAR), '01.01.2026 04:34:05 00:00:00');
    assert.equal(new TextTokens('America/New_York').expand('%H:%M', Date.UTC(2026, 2, 8, 7, 0), 0), '03:00');
    const literal = '100 % %% %y %s %h %{pts} %c % d 50%';
    assert.equal(new TextTokens('UTC').expand(literal, NEW_YEAR, 0), literal);
    assert.equal(new TextTokens('UTC').expand('%%d', NEW_YEAR, 0), '%31');
    assert.equal(new TextTokens('Nowhere/Land').expand('%H', NEW_YEAR, 0), '23');
    assert.deepEqual(['%', 'a%b', '%C', '%H'].map(TextTokens.hasTokens), [false, false, true, true]);
  });

  it('midnight is shown as 00', () => {
    assert.equal(new TextTokens('UTC').expand('%H:%M', Date.UTC(2026, 0, 1), 0), '00:00');
  });

  it('the chronometer counts on beyond a day, and never goes below nothing', () => {
    assert.deepEqual([-5, 999, 59_999, 3_600_000, 360_000_000].map(chronometer), [
      ...['00:00:00', '00:00:00', '00:00:59', '01:00:00', '100:00:00'],
    ]);
  });
});

describe('lines', () => {
  /** Every character is as wide as any other. */
  const wrap = (text: string, width: number, lines = 100): string[] =>
    wrapText(text, { width, lines, measure: (line) => [...line].length });

  it('lines of text end between words, at line breaks, and within a word that is too long', () => {
    assert.deepEqual(wrap('the quick brown fox', 10), ['the quick', 'brown fox']);
    assert.deepEqual(wrap('a\nb\r\nc\u2028d\n\ne', 10), ['a', 'b', 'c', 'd', '', 'e']);
    assert.deepEqual(wrap('abcdefghij xy', 4), ['abcd', 'efgh', 'ij', 'xy']);
    assert.deepEqual(wrap('10\u00a0000 km', 6), ['10\u00a0000', 'km']);
    assert.deepEqual(wrap('a  b', 10), ['a  b']);
    assert.deepEqual(wrap('  a', 10), ['  a']);
  });

  it('lines end between words of scripts without spaces, not before a full stop nor after a bracket', () => {
    assert.deepEqual(wrap('今日は良い天気です。', 9), ['今日は良い天気', 'です。']);
    for (const line of wrap('「括弧」の中「括弧」の中', 4)) assert.doesNotMatch(line, /^[」。]|「$/u);
  });

  it('lines of text never cut a character in two', () => {
    const family = '👨‍👩‍👧';
    assert.deepEqual(wrap(family.repeat(3), 6), [family, family, family]);
    assert.deepEqual(wrap('e\u0301e\u0301e\u0301', 2), ['e\u0301', 'e\u0301', 'e\u0301']);
  });

  it('no more lines of text are shown than fit, and the last says that there was more', () => {
    assert.deepEqual(wrap('one two three four', 6, 2), ['one', 'two…']);
    assert.deepEqual(wrap('abcdefgh', 4, 1), ['abc…']);
    assert.deepEqual(wrap('a\nb\nc', 4, 2), ['a', 'b…']);
    assert.deepEqual(wrap('a\nb', 4, 2), ['a', 'b']);
  });

  it('control characters are removed from lines of text, and lone surrogates are replaced', () => {
    assert.deepEqual(wrap('a\u0000b\u001b[31m\u009f\ud800', 20), ['ab[31m\ufffd']);
  });

  it('lines of text are as wide as they may be and hold every letter, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (text, width) => {
        const lines = wrap(text, width, 1000);
        const bare = (value: string): string => value.replaceAll(/[\s\p{Cc}]/gu, '');
        assert.equal(bare(lines.join('')), bare(text));
        const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
        for (const line of lines)
          assert.ok([...line].length <= width || [...graphemes.segment(line.trim())].length <= 1, JSON.stringify(line));
      }),
      { seed: 1 },
    );
  });
});

describe('painted texts', () => {
  const frame = { width: 640, height: 360 };
  const style: TextSpec = { text: '', position: 'Bottom', size: 60, color: '#ffffff' };
  const painted = async (text: string, more: Partial<TextSpec> = {}): Promise<Overlay[]> =>
    (await TextPainter.load()).sheet({ ...style, ...more }, frame).paint(text);
  /** Pixels of an overlay by what is left of the programme below. */
  const count = (overlays: Overlay[], what: (rest: number, luma: number) => boolean): number =>
    overlays.flatMap(({ luma, lumaRest }) => [...lumaRest].filter((rest, at) => what(rest, luma[at]!))).length;

  it('painted texts have light letters with a dark edge, and dark letters with a light one', async () => {
    const light = await painted('LIVE');
    assert.ok(count(light, (rest, luma) => rest === 0 && luma / 255 > 230) > 60, 'light inside');
    assert.ok(count(light, (rest, luma) => rest < 80 && luma / (255 - rest) < 30) > 60, 'a dark edge');
    const dark = await painted('LIVE', { color: '#101010' });
    assert.ok(count(dark, (rest, luma) => rest < 80 && luma / (255 - rest) > 220) > 60, 'a light edge');
  });

  it('painted texts stay in the safe area, however long they are', async () => {
    const area = safeArea(frame);
    const outline = 8;
    for (const position of ['Center', 'Top-Left', 'Bottom-Right'] as const) {
      const lines = await painted('Lorem ipsum dolor sit amet 日本語 '.repeat(40), { position });
      assert.ok(lines.length > 5);
      for (const { x, y, width, height } of lines) {
        assert.ok(x >= area.x - outline && x + width <= area.x + area.width + outline, position);
        assert.ok(y >= 0 && y + height <= frame.height, position);
      }
    }
  });

  it('painted texts are painted line by line, and a line that stays the same is not painted again', async () => {
    const sheet = (await TextPainter.load()).sheet({ ...style, position: 'Top-Left' }, frame);
    const [name, clock] = sheet.paint('Studio\n12:00:00');
    const [same, next] = sheet.paint('Studio\n12:00:01');
    assert.equal(same, name);
    assert.notEqual(next, clock);
    assert.deepEqual(
      [next!.x, next!.width],
      [clock!.x, clock!.width],
      'digits are of one width: a clock does not dance',
    );
  });

  it('any Unicode makes a painted text, and nothing in it is an instruction', async () => {
    const texts = [
      'שלום עולם',
      'مرحبا',
      '漢字かな',
      '🎉',
      'Ελλάδα',
      'e\u0301\u0323',
      '%{pts}:\\x=1,[in]',
      "'; rm -rf /",
      '<b>&amp;',
    ];
    for (const text of texts) assert.ok(count(await painted(text), (rest) => rest < 128) > 20, text);
    for (const nothing of ['', ' ', '\n\n', '\u0000'])
      assert.deepEqual(await painted(nothing), [], JSON.stringify(nothing));
  });

  it('a character that no font here has is named, and only once', async () => {
    const painter = await TextPainter.load();
    assert.deepEqual(painter.missingIn('LIVE – Köln, 100 % مباشر e\u0301 漢字 👩🏽\u200d🚒\n\t'), []);
    // Letters of Unicode 15, which fonts of 2022 do not know.
    assert.deepEqual(painter.missingIn('\u{11f04}a\u{1e4d0} \u{11f04}'), ['\u{11f04}', '\u{1e4d0}']);
  });
});
