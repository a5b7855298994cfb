import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod/v3';
import { maskDeliveryUrl, maskSecret, maskUrl, mergePatch, toPartial } from '../../domain/schema.ts';

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

  it('asks for nothing and fills in nothing: a default would overwrite what is stored', () => {
    assert.deepEqual(partial.parse({}), {});
    assert.deepEqual(partial.parse({ nested: {}, drm: {} }), { nested: {}, drm: {} });
    assert.deepEqual(partial.parse({ nested: { deep: {} } }), { nested: { deep: {} } });
  });

  it('takes null for nullable fields only', () => {
    assert.deepEqual(partial.parse({ note: null, drm: null }), { note: null, drm: null });
    for (const field of ['name', 'level', 'nested', 'ids'])
      assert.equal(partial.safeParse({ [field]: null }).success, false, field);
  });

  it('stays strict at every depth, and keeps rules and descriptions', () => {
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

  it('leaves the shape it was made from as it was', () => {
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

  it('changes only what is sent, at every depth', () => {
    assert.deepEqual(mergePatch(present, { nested: { deep: { size: 2 } } }), {
      ...present,
      nested: { on: true, deep: { size: 2, kind: 'k' } },
    });
    assert.deepEqual(mergePatch(present, { name: undefined }), present);
  });

  it('clears with null, replaces arrays whole, fills an object that was null', () => {
    assert.deepEqual(mergePatch(present, { note: null, ids: [3] }), { ...present, note: null, ids: [3] });
    assert.deepEqual(mergePatch({ drm: null }, { drm: { id: 1 } }), { drm: { id: 1 } });
  });

  it('never changes its arguments', () => {
    const frozen = structuredClone(present);
    fc.assert(
      fc.property(fc.object(), (patch) => {
        const before = structuredClone(patch);
        mergePatch(present, patch);
        assert.deepEqual(present, frozen);
        assert.deepEqual(patch, before);
      }),
    );
  });

  it('twice is once', () => {
    fc.assert(
      fc.property(fc.object(), fc.object(), (row, patch) =>
        assert.deepEqual(mergePatch(mergePatch(row, patch), patch), mergePatch(row, patch)),
      ),
    );
  });
});

describe('masks', () => {
  it('show the last four characters of a long secret, nothing of a short one', () => {
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
  ];
  for (const [url, masked] of cases) it(`maskUrl ${url}`, () => assert.equal(maskUrl(url), masked));

  it('hide the key that users paste behind an RTMP application', () => {
    assert.equal(maskDeliveryUrl('rtmp://h/app/canary'), 'rtmp://h/app/****');
    assert.equal(maskDeliveryUrl('rtmps://u:p@h:443/app/inst/canary?x=canary'), 'rtmps://****@h:443/app/****?x=****');
    assert.equal(maskDeliveryUrl('rtmp://h/app'), 'rtmp://h/app');
  });

  it('leave nothing of a password, whatever is in it', () => {
    const secret = fc.stringMatching(/^[a-z@:!$'()*+,;=%~-]{6,20}$/u).filter((text) => new Set(text).size > 3);
    fc.assert(
      fc.property(secret, (password) =>
        assert.ok(!maskUrl(`https://u:${password}@host/path?k=${password.replaceAll('&', '')}`).includes(password)),
      ),
    );
  });
});
