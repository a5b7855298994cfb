import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod/v3';
import { maskDeliveryUrl, maskIssue, maskSecret, maskUrl, mergePatch, toPartial } from '../../domain/base/schema.ts';
import { wordsOf } from '../helpers/words.ts';

const shape = {
  name: z.string().min(1).describe('A name.'),
  note: z.string().nullable().default(null),
  level: z.number().default(3).describe('A level.'),
  nested: z
    .object({
      on: z.boolean().default(true),
      deep: z
        .object({ size: z.number().default(1) })
        .strict()
        .default({}),
    })
    .strict()
    .default({}),
  drm: z
    .object({ id: z.number(), mode: z.enum(['a', 'b']).default('a') })
    .strict()
    .nullable()
    .default(null),
  ids: z.array(z.number()).default([]),
};

describe('toPartial', () => {
  const partial = toPartial(shape);

  it('toPartial asks for nothing and fills in nothing: a default would overwrite what is stored', () => {
    assert.deepEqual(partial.parse({}), {});
    assert.deepEqual(partial.parse({ nested: {}, drm: {} }), { nested: {}, drm: {} });
    assert.deepEqual(partial.parse({ nested: { deep: {} } }), { nested: { deep: {} } });
  });

  it('toPartial takes null for nullable fields only', () => {
    assert.deepEqual(partial.parse({ note: null, drm: null }), { note: null, drm: null });
    for (const field of ['name', 'level', 'nested', 'ids'])
      assert.equal(partial.safeParse({ [field]: null }).success, false, field);
  });

  it('toPartial stays strict at every depth, and keeps rules and descriptions', () => {
    for (const wrong of [
      { other: 1 },
      { nested: { other: 1 } },
      { nested: { deep: { other: 1 } } },
      { drm: { other: 1 } },
      { name: '' },
      { drm: { mode: 'c' } },
    ]) {
      assert.equal(partial.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
    assert.equal(partial.shape.level.description, 'A level.');
  });

  it('toPartial leaves the shape it was made from as it was', () => {
    assert.deepEqual(z.object(shape).parse({ name: 'x' }), {
      name: 'x',
      note: null,
      level: 3,
      nested: { on: true, deep: { size: 1 } },
      drm: null,
      ids: [],
    });
  });
});

describe('mergePatch', () => {
  const present = { name: 'a', note: 'n', nested: { on: true, deep: { size: 1, kind: 'k' } }, ids: [1, 2] };

  it('mergePatch changes only what is sent, at every depth', () => {
    assert.deepEqual(mergePatch(present, { nested: { deep: { size: 2 } } }), {
      ...present,
      nested: { on: true, deep: { size: 2, kind: 'k' } },
    });
    assert.deepEqual(mergePatch(present, { name: undefined }), present);
  });

  it('mergePatch clears with null, replaces arrays whole, and fills an object that was null', () => {
    assert.deepEqual(mergePatch(present, { note: null, ids: [3] }), { ...present, note: null, ids: [3] });
    assert.deepEqual(mergePatch({ drm: null }, { drm: { id: 1 } }), { drm: { id: 1 } });
  });

  it('mergePatch never changes its arguments', () => {
    const frozen = structuredClone(present);
    fc.assert(
      fc.property(fc.object(), (patch) => {
        const before = structuredClone(patch);
        mergePatch(present, patch);
        assert.deepEqual(present, frozen);
        assert.deepEqual(patch, before);
      }),
      { seed: 1 },
    );
  });

  it('mergePatch of the same patch twice has the effect of once', () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), (row, patch) =>
        assert.deepEqual(mergePatch(mergePatch(row, patch), patch), mergePatch(row, patch)),
      ),
      { seed: 1, examples: [[{}, JSON.parse('{"__proto__":{"a":1}}') as object]] },
    );
  });
});

const JWT =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

describe('masks', () => {
  it('masks show the last four characters of a long secret, and nothing of a short one', () => {
    assert.equal(maskSecret('abcdefghi'), '****fghi');
    for (const short of ['', 'a', 'abcdefgh']) assert.equal(maskSecret(short), '****');
  });

  const cases: [string, string][] = [
    ['https://cdn.example.org/live.m3u8', 'https://cdn.example.org/live.m3u8'],
    ['https://user:canary@h/x?token=canary&b=canary#canary', 'https://****@h/x?token=****&b=****#****'],
    ['https://user:can@ry@h/x', 'https://****@h/x'],
    ['https://canary@h:8080/x', 'https://****@h:8080/x'],
    ['https://h/x?canary', 'https://h/x?****'],
    ['https://h/a@b/c', 'https://h/a@b/c'],
    ['srt://h:9000?streamid=canary&passphrase=canary', 'srt://h:9000?streamid=****&passphrase=****'],
    ['udp://239.0.0.1:1234', 'udp://239.0.0.1:1234'],
    ['https://h/live/9f86d081884c7d659a2feaa0c55ad015/index.m3u8', 'https://h/live/****/index.m3u8'],
    ['https://h/eyJhbGciOiJIUzI1NiJ9aGVsbG8/x', 'https://h/****/x'],
    ['https://h/Zm9vYmFyYmF6cXV4_-12.m3u8?a=1', 'https://h/****.m3u8?a=****'],
    ['https://h/550e8400-e29b-41d4-a716-446655440000', 'https://h/****'],
    ['https://h/sunday-service-2026-11-22-morning/x', 'https://h/sunday-service-2026-11-22-morning/x'],
    ['https://h/Conference_Room_Keynote_Part_2/x', 'https://h/Conference_Room_Keynote_Part_2/x'],
    [`http://h/live/${JWT}/index.m3u8`, 'http://h/live/****/index.m3u8'],
    ['http://h/live/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOjF9.sig/x', 'http://h/live/****/x'],
    ['http://h/tok.9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c/x', 'http://h/tok.****/x'],
    ['http://h/~9f8a7b6c5d4e3f2a1b0c9d8e', 'http://h/~****'],
    ['http://h/live;token=9f8a7b6c5d4e3f2a1b0c9d8e', 'http://h/live;token=****'],
    ['http://h/token=9f8a/index.m3u8', 'http://h/token=****/index.m3u8'],
    ['http://h/live;v=2;Auth-Key=a.b;lang=de', 'http://h/live;v=2;Auth-Key=****;lang=de'],
    ['http://h/live%3Btoken%3Dshort/x', 'http://h/live%3Btoken%3D****/x'],
    ['http://h/hdnts=exp=1795000000~acl=*~hmac=0a1b2c3d/x', 'http://h/hdnts=****/x'],
    ['http://h/exp=1795000000~hmac=0a1b2c3d/x', 'http://h/exp=1795000000~hmac=****/x'],
    ['http://h/9f8a7b6c5d4e3f2a1b0%2B9d8e7f6a5b4c/x', 'http://h/****/x'],
    ['http://h/%39f8a7b6c5d4e3f2a1b0c9d8e7f/x', 'http://h/****/x'],
    ['http://h/x?9f8a7b6c5d4e3f2a1b0c9d8e=1', 'http://h/x?****=****'],
  ];
  for (const [url, masked] of cases)
    it(`maskUrl hides the secrets of ${url} and keeps the rest`, () => assert.equal(maskUrl(url), masked));

  const ordinary = [
    ...['index.m3u8', 'stream-1080p', '2026-11-22T10.00', '2026-11-22T10-00-00Z.mp4', 'sunday-20261122T100000Z-main'],
    ...[
      'sunday-service-1080p60-morning-h264.m3u8',
      'ConferenceRoomKeynotePart2.mp4',
      'My%20Talk%20on%20Tuesday%20Evening',
    ],
    ...['live;lang=de;quality=1080p', 'v=2', 'segment_00012345.ts', 'heyJude.remastered.version.mp4', 'a=b~c=d'],
    ...['chunklist_w1234567_b2500000.m3u8', 'Gem%C3%BCtliche-Abendsendung-am-Sonntag.mp4', '192.168.100.200-camera-12'],
  ];
  for (const name of ordinary)
    it(`masks leave the ordinary name ${name} as it is`, () =>
      assert.equal(maskUrl(`http://h/a/${name}`), `http://h/a/${name}`));

  it('masks leave names of words, terms and numbers as they are', () => {
    const word = fc.constantFrom(...wordsOf('sunday Morning service keynote CAMERA broadcasting main of und'));
    const term = fc.constantFrom('1080p60', 'h264', '4k', 'v2', '2026', '11', '22', 'cam3', '30fps');
    const name = fc.tuple(
      fc.constant('worship'),
      fc.array(fc.oneof(word, term), { maxLength: 8 }),
      fc.constantFrom('-', '_', '.', '~'),
    );
    fc.assert(
      fc.property(name, ([first, rest, between]) => {
        const url = `https://h/live/${[first, ...rest].join(between)}.m3u8`;
        assert.equal(maskUrl(url), url);
      }),
      { seed: 1 },
    );
  });

  it('masks leave nothing of a token, wherever in a segment it stands and however it is escaped', () => {
    const token = fc.stringMatching(/^[0-9a-f]{20,40}$/u).filter((text) => /[a-f]/u.test(text) && /\d/u.test(text));
    const before = fc.constantFrom('', 'live.', '~', 'a;b=', 'stream=', 'x%2F', 'index.m3u8;', 'tok:', '%20', '(');
    const after = fc.constantFrom('', '.m3u8', '==', ';x=1', '%3D', '~y', ')');
    fc.assert(
      fc.property(token, before, after, fc.nat(), (secret, start, end, bits) => {
        const escaped = [...secret]
          .map((c, at) => ((bits >> (at % 31)) & 1 ? `%${c.charCodeAt(0).toString(16)}` : c))
          .join('');
        const url = `https://h/live/${start}${escaped}${end}/x`;
        const masked = maskUrl(url);
        assert.ok(!decodeURIComponent(masked).includes(secret.slice(0, 6)), masked);
        assert.equal(maskUrl(masked), masked, 'once is enough');
        assert.ok(maskIssue(masked) !== undefined, 'it is not taken for the address when it is written back');
      }),
      { seed: 1 },
    );
  });

  it('masks hide the key that users paste behind an RTMP application', () => {
    assert.equal(maskDeliveryUrl('rtmp://h/app/canary'), 'rtmp://h/app/****');
    assert.equal(maskDeliveryUrl('rtmps://u:p@h:443/app/inst/canary?x=canary'), 'rtmps://****@h:443/app/****?x=****');
    assert.equal(maskDeliveryUrl('rtmp://h/app'), 'rtmp://h/app');
  });

  it('masks leave nothing of a password, whatever is in it', () => {
    const secret = fc.stringMatching(/^[a-z@:!$'()*+,;=%~-]{6,20}$/u).filter((text) => new Set(text).size > 3);
    fc.assert(
      fc.property(secret, (password) =>
        assert.ok(!maskUrl(`https://u:${password}@host/path?k=${password.replaceAll('&', '')}`).includes(password)),
      ),
      { seed: 1 },
    );
  });
});
