/** The presets that come with the program. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Encoding } from '../../domain/shapes/encodings/encoding.ts';
import { encodingIssues } from '../../domain/rules/encodings/encoding-rules.ts';
import { LADDER_IDS, TEMPLATE_IDS } from '../../domain/shapes/encodings/preset-ids.ts';
import { urlIssue } from '../../domain/shapes/sources/channel.ts';
import { LADDERS } from '../../presets/ladders.ts';
import { TEMPLATES } from '../../presets/templates.ts';
import { DESTINATION_ROWS } from '../../domain/types/destination-types.ts';

describe('presets', () => {
  it('there is one ladder for each id, the best rendition first, all of one pipeline and each a valid Encoding', () => {
    assert.deepEqual(
      LADDERS.map(({ id }) => id),
      LADDER_IDS,
    );
    for (const { id, encodings } of LADDERS) {
      const bitrates = encodings.map(({ settings_video: video }) => (video.active ? video.bitrate : 0));
      assert.deepEqual(
        bitrates,
        [...bitrates].sort((a, b) => b - a),
        id,
      );
      assert.equal(new Set(encodings.map(({ settings_video: { codec } }) => codec)).size, 1, id);
      for (const encoding of encodings) assert.deepEqual(encodingIssues(encoding as Encoding), [], id);
    }
  });

  it('there is one template for each id, with a date, a source, and an address that its type can deliver to', () => {
    assert.deepEqual(
      TEMPLATES.map(({ id }) => id),
      TEMPLATE_IDS,
    );
    for (const { id, type, url, as_of, source } of TEMPLATES) {
      assert.match(as_of, /^20\d\d-\d\d-\d\d$/u, id);
      assert.match(source, /^https:\/\//u, id);
      if (url !== null) assert.equal(urlIssue(url, DESTINATION_ROWS[type].schemes), undefined, id);
    }
  });
});
