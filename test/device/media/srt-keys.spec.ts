/** Encryption of SRT callers, against what libsrt 1.5.1 (srt-live-transmit) has sent and answered; its text is "clear text of datagram NN". */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptance, liveRequestOf, readHandshake } from '../../../device/media/srt/srt-handshake.ts';
import { asksForGcm, keyAnswer, keyRequestOf, readKeyMaterial, SrtKeys } from '../../../device/media/srt/srt-keys.ts';

const PASSPHRASE = 'a-long-passphrase';
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** For each length of the key in bytes: the conclusion of the caller, the answer of the listener, the first packet of media. */
const CALLS = new Map([
  [
    16,
    {
      conclusion:
        '8000000000000000000023ae0000000000000005000200035c1eba31000005dc00002000ffffffff1a8e797b84d9e3c30100007f0000' +
        '000000000000000000000001000300010501000000bf007800780003000e1220290100000000020002000000040418d031ac06814e6a' +
        '1951340c293aa240e7c3503f88aadcdb906493fbf58fb706182d1a3c845fcfa6',
      answer:
        '80000000000000000000056f1a8e797b00000005000200035c1eba31000005dc00002000ffffffff13807d3584d9e3c30100007f0000' +
        '000000000000000000000002000300010501000000bf007800780004000e1220290100000000020002000000040418d031ac06814e6a' +
        '1951340c293aa240e7c3503f88aadcdb906493fbf58fb706182d1a3c845fcfa6',
      media: '5c1eba31c8000001000a9e0b13807d351df8fed0a8be684c1e6058f25fdaaf153d6e7010119e1dbc5f',
    },
  ],
  [
    24,
    {
      conclusion:
        '800000000000000000001431000000000000000500030003767227e9000005dc00002000ffffffff3d91fff0fdab0bb80100007f0000' +
        '000000000000000000000001000300010501000000bf007800780003001012202901000000000200020000000406de0beff27982845d' +
        '52662e8b73da532a99e0eb3de038a374a80259d307c1025d449cd0a2ee46c4e1fcf81cf70d773b3c',
      answer:
        '8000000000000000000007713d91fff00000000500030003767227e9000005dc00002000ffffffff2c9771d0fdab0bb80100007f0000' +
        '000000000000000000000002000300010501000000bf007800780004001012202901000000000200020000000406de0beff27982845d' +
        '52662e8b73da532a99e0eb3de038a374a80259d307c1025d449cd0a2ee46c4e1fcf81cf70d773b3c',
      media: '767227e9c8000001000ac3822c9771d02ba9a4e9274cf6e4aa10f5b8537916275cb43afa2e41d92f24',
    },
  ],
  [
    32,
    {
      conclusion:
        '80000000000000000000445e00000000000000050004000323a7030a000005dc00002000ffffffff3fa23097b4c938430100007f0000' +
        '000000000000000000000001000300010501000000bf0078007800030012122029010000000002000200000004083bfd86aee1164715' +
        'f1bf8b4ea11b411e9682b61803dfde3f8a6af6696e9651355b137cbf9d516488eabfa6f0882befb93b97d38387186763',
      answer:
        '8000000000000000000006a03fa23097000000050004000323a7030a000005dc00002000ffffffff30a2334bb4c938430100007f0000' +
        '000000000000000000000002000300010501000000bf0078007800040012122029010000000002000200000004083bfd86aee1164715' +
        'f1bf8b4ea11b411e9682b61803dfde3f8a6af6696e9651355b137cbf9d516488eabfa6f0882befb93b97d38387186763',
      media: '23a7030ac8000001000a9b2230a2334b4524563a92ddbb71f0f0357cb4e1e97bc39c75bb387374556d',
    },
  ],
]);
/** The caller with 16 bytes renewed its keys after each eighth packet; this is what it sent from the fifth one on. */
const RENEWALS: { request?: string; answer?: string; media?: [number, string] }[] = [
  { media: [4, '5c1eba35c8000005000d142013807d356adfaf7549e9f94a288b8284f98134fdb874fd045ca6c1adb0'] },
  {
    request:
      'ffff000300000000000d503613807d351220290300000000020002000000040418d031ac06814e6a1951340c293aa240788c0f28122a' +
      '3c0fef27f2c378aa8cb9c6c74061144b9f288d912ab53b1e5fcaca686849b7b91d9e',
    answer:
      'ffff000400000000000d127a1a8e797b1220290300000000020002000000040418d031ac06814e6a1951340c293aa240788c0f28122a' +
      '3c0fef27f2c378aa8cb9c6c74061144b9f288d912ab53b1e5fcaca686849b7b91d9e',
  },
  { media: [5, '5c1eba36c8000006000dca0613807d3529c718aa1d45a450eeb3ca8aa933c394d463499f89120f54f5'] },
  { media: [8, '5c1eba39d0000009000fce3313807d35682d3a30733e4692439afcdfb54eb7cd582141c181be18466f'] },
  { media: [13, '5c1eba3ed000000e0013059413807d35847318ce8ad7defce07b8f41105811332f8a7400701391e4a5'] },
  {
    request:
      'ffff00030000000000131d1013807d351220290300000000020002000000040418d031ac06814e6a1951340c293aa240de626c03838f' +
      '30c9f21234019b18e6db8eea8a35190103c07b83a8a9a8b9f39037b8f9a8bc9c599f',
    answer:
      'ffff0004000000000012de031a8e797b1220290300000000020002000000040418d031ac06814e6a1951340c293aa240de626c03838f' +
      '30c9f21234019b18e6db8eea8a35190103c07b83a8a9a8b9f39037b8f9a8bc9c599f',
  },
  { media: [16, '5c1eba41d00000110014e55113807d35dd217dc6d452e398804963123aa48a3f84adce46bf6769fde8'] },
  { media: [17, '5c1eba42c80000120015968b13807d3511ca660cb331ed93ba9a9347f3776fd72d16c13a4708b851cf'] },
];
const { conclusion: CONCLUSION, media: MEDIA } = CALLS.get(16)!;
const materialOf = (conclusion: string): Buffer => readHandshake(bytes(conclusion))!.keyMaterial!;
const acceptedOf = (conclusion: Buffer): Buffer =>
  acceptance(conclusion, liveRequestOf(conclusion, 120)!, { socketId: 7, window: 8192 });
const textOf = (packet: Buffer | undefined): string | undefined => packet?.toString('latin1', 16);

test('the key material of libsrt is opened with keys of 16, 24 and 32 bytes, and media are in clear', async () => {
  for (const [keyBytes, { conclusion, answer, media }] of CALLS) {
    const keys = new SrtKeys(PASSPHRASE);
    assert.equal(keys.inClear(bytes(media)), undefined, 'there is no key yet');
    assert.equal(await keys.take(materialOf(conclusion)), true);
    const clear = keys.inClear(bytes(media))!;
    assert.equal(textOf(clear), 'clear text of datagram 00', `${keyBytes} bytes`);
    // A message of one packet, in order, with no key.
    assert.equal(clear.toString('hex', 0, 16), `${media.slice(0, 8)}c0000001${media.slice(16, 32)}`);
    assert.equal(await new SrtKeys(`${PASSPHRASE}s`).take(materialOf(conclusion)), false);

    // What a listener of libsrt has answered, but for its window and its number.
    const accepted = acceptedOf(bytes(conclusion)).toString('hex');
    for (const [from, to] of [
      [32, 64],
      [72, 80],
      [160, undefined],
    ])
      assert.equal(accepted.slice(from, to), answer.slice(from, to));
  }
});

test('keys that are renewed in mid-life are taken and answered, and each packet is opened with its own', async () => {
  const keys = new SrtKeys(PASSPHRASE);
  await keys.take(materialOf(CONCLUSION));
  for (const { request, answer, media } of RENEWALS) {
    if (request !== undefined) {
      assert.equal(await keys.take(keyRequestOf(bytes(request))!), true);
      const answered = keyAnswer(bytes(request), bytes(answer!).readUInt32BE(12));
      // All but the time of sending.
      answered.set(bytes(answer!).subarray(8, 12), 8);
      assert.equal(answered.toString('hex'), answer);
    }
    if (media !== undefined) {
      const packet = bytes(media[1]);
      const text = `clear text of datagram ${String(media[0]).padStart(2, '0')}`;
      assert.equal(textOf(keys.inClear(packet)), text);
      packet[4]! |= 0x04;
      assert.equal(textOf(keys.inClear(packet)), text, 'one that is sent again');
    }
  }
});

test('packets of control pass as they are; media without a key, with both, or with one that is not there, and the parity of a packet filter do not', async () => {
  const keys = new SrtKeys(PASSPHRASE);
  await keys.take(materialOf(CONCLUSION));
  const control = bytes('80060000000000010000000013807d3500000000');
  assert.equal(keys.inClear(control), control);
  const changed = (field: number): Buffer => {
    const packet = bytes(MEDIA);
    packet.writeUInt32BE(field, 4);
    return packet;
  };
  assert.ok(keys.inClear(changed(0xc8000001)));
  for (const field of [0xc0000001, 0xd8000001, 0xd0000001, 0xc8000000])
    assert.equal(keys.inClear(changed(field)), undefined, field.toString(16));
  assert.equal(keys.inClear(bytes(MEDIA).subarray(0, 15)), undefined);
});

test('the packet filter of a caller is accepted, with its keys', () => {
  const filter = bytes('00070003' + '2c636566' + '6c6f633a' + '00000000');
  const whole = bytes(CONCLUSION);
  const filtered = Buffer.concat([whole.subarray(0, 80), filter, whole.subarray(80)]);
  filtered.writeUInt16BE(7, 22);
  const answer = acceptedOf(filtered);
  assert.deepEqual([answer.readUInt16BE(20), answer.readUInt16BE(22)], [2, 7]);
  assert.equal(answer.subarray(80, 80 + filter.length).equals(filter), true);
});

test('key material that is cut short, of another length, cipher or version, or changed in any bit is refused', async () => {
  const material = materialOf(CONCLUSION);
  for (let length = 0; length < material.length; length += 1)
    assert.equal(readKeyMaterial(material.subarray(0, length)), undefined);
  assert.equal(readKeyMaterial(Buffer.concat([material, material])), undefined);
  const changed = (at: number, value: number): Buffer => Buffer.from(material).fill(value, at, at + 1);
  // Version, signature, no key, both keys, another cipher, authentication, encapsulation, length of salt and key.
  const wrong = [
    [0, 0x22],
    [1, 0],
    [3, 0],
    [3, 3],
    [8, 3],
    [9, 1],
    [10, 1],
    [14, 2],
    [15, 5],
    [15, 8],
  ] as const;
  for (const [at, value] of wrong) assert.equal(readKeyMaterial(changed(at, value)), undefined, `${at}: ${value}`);
  assert.deepEqual(
    [asksForGcm(material), asksForGcm(changed(8, 4)), asksForGcm(Buffer.alloc(0))],
    [false, true, false],
  );
  const keys = new SrtKeys(PASSPHRASE);
  assert.equal(await keys.take(changed(40, material[40]! ^ 1)), false);
});

test('a caller with wrong key material has four tries with the passphrase, and goes on with the salt that it had', async () => {
  const keys = new SrtKeys(PASSPHRASE);
  const material = materialOf(CONCLUSION);
  assert.equal(await keys.take(material), true);
  for (let n = 0; n < 4; n += 1) {
    const other = Buffer.from(material);
    other[31] = n;
    assert.equal(await keys.take(other), false);
  }
  // It would be right, with another salt.
  assert.equal(await keys.take(materialOf(CALLS.get(32)!.conclusion)), false);
  assert.equal(await keys.take(material), true);
  assert.equal(textOf(keys.inClear(bytes(MEDIA))), 'clear text of datagram 00');
});
