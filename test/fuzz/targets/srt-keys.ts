/** The encryption of an SRT caller: key material of strangers, before anybody is known, and media of who knows the passphrase. */
import assert from 'node:assert/strict';
import { keyRequestOf, readKeyMaterial, SrtKeys, unwrapKeys } from '../../../device/media/srt/srt-keys.ts';
import type { FuzzTarget } from '../target.ts';

const bytesOf = (...hex: string[]): Buffer => Buffer.from(hex.join(''), 'hex');
const MATERIAL = bytesOf(
  '12202901000000000200020000000404',
  '18d031ac06814e6a1951340c293aa240',
  'e7c3503f88aadcdb906493fbf58fb706182d1a3c845fcfa6',
);
const REQUEST = bytesOf(
  'ffff000300000000000d503613807d3512202903000000000200020000000404',
  '18d031ac06814e6a1951340c293aa240',
  '788c0f28122a3c0fef27f2c378aa8cb9c6c74061144b9f288d912ab53b1e5fcaca686849b7b91d9e',
);
const MEDIA = bytesOf('5c1eba31c8000001000a9e0b13807d351df8fed0a8be684c1e6058f25fdaaf153d6e7010119e1dbc5f');
/** It makes few keys of the passphrase, however much key material it is given. */
const keys = new SrtKeys('a-long-passphrase');
let first: Promise<boolean> | undefined;

export const target: FuzzTarget = {
  seeds: [MATERIAL, REQUEST, MEDIA],
  async run(bytes) {
    const before = Buffer.from(bytes);
    assert.ok(await (first ??= keys.take(MATERIAL)));
    const message = keyRequestOf(bytes) ?? bytes;
    const material = readKeyMaterial(message);
    if (material !== undefined) {
      assert.equal(message.length, 40 + material.holds.length * material.keyBytes);
      assert.equal(unwrapKeys(material, Buffer.alloc(material.keyBytes)), undefined);
    } else assert.equal(await keys.take(message), false);
    await keys.take(message);
    const clear = keys.inClear(bytes);
    if (clear !== undefined && clear[0]! < 0x80) {
      assert.equal(clear.length, bytes.length);
      assert.equal(clear[4]! & 0x18, 0);
    }
    assert.deepEqual(bytes, before);
  },
};
