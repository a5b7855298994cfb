import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { breakIn, breakOut, cueBytes, dashSignal, hexSequence } from '../../../device/media/scte35/cue-message.ts';
import { breakCancel, heartbeat, segmentationCue } from '../../helpers/cue-messages.ts';
import { crc32Mpeg } from '../../../device/media/mpeg-ts/psi.ts';
import {
  decodeSplice,
  encodeSplice,
  shiftSplice,
  spliceTicks,
  type SpliceInfo,
  type SpliceCommand,
} from '../../../device/media/scte35/scte35.ts';
import {
  SEGMENTATION_TYPES,
  type SegmentationDescriptor,
  type SegmentationEvent,
  type SpliceDescriptor,
} from '../../../device/media/scte35/scte35-descriptor.ts';
import { wordsOf } from '../../helpers/words.ts';

/** The sample messages of SCTE 35 §14 (2019r1 and later), in order. */
const SAMPLES = wordsOf(`
  /DA0AAAAAAAA///wBQb+cr0AUAAeAhxDVUVJSAAAjn/PAAGlmbAICAAAAAAsoKGKNAIAmsnRfg==
  /DAvAAAAAAAA///wFAVIAACPf+/+c2nALv4AUsz1AAAAAAAKAAhDVUVJAAABNWLbowo=
  /DAvAAAAAAAA///wBQb+dGKQoAAZAhdDVUVJSAAAjn+fCAgAAAAALKChijUCAKnMZ1g=
  /DBIAAAAAAAA///wBQb+ek2ItgAyAhdDVUVJSAAAGH+fCAgAAAAALMvDRBEAAAIXQ1VFSUgAABl/nwgIAAAAACyk26AQAACZcuND
  /DAvAAAAAAAA///wBQb+rr//ZAAZAhdDVUVJSAAACH+fCAgAAAAALKVs9RcAAJUdsKg=
  /DBIAAAAAAAA///wBQb+ky44CwAyAhdDVUVJSAAACn+fCAgAAAAALKCh4xgAAAIXQ1VFSUgAAAl/nwgIAAAAACygoYoRAAC0IX6w
  /DAvAAAAAAAA///wBQb+rvF8TAAZAhdDVUVJSAAAB3+fCAgAAAAALKVslxEAAMSHai4=
  /DBhAAAAAAAA///wBQb+qM1E7QBLAhdDVUVJSAAArX+fCAgAAAAALLLXnTUCAAIXQ1VFSUgAACZ/nwgIAAAAACyy150RAAACF0NVRUlIAAAnf58ICAAAAAAsstezEAAAihiGnw==
`).map((text) => Buffer.from(text, 'base64'));

function read(section: Buffer): SpliceInfo {
  const { info, refused } = decodeSplice(section);
  assert.equal(refused, undefined);
  return info!;
}

function segmentation(descriptor: SpliceDescriptor | undefined): SegmentationDescriptor & { event: SegmentationEvent } {
  assert.ok(descriptor?.kind === 'segmentation' && descriptor.event !== undefined);
  return descriptor as SegmentationDescriptor & { event: SegmentationEvent };
}

test('every sample message of the standard is written again byte for byte', () => {
  for (const sample of SAMPLES) assert.deepEqual(encodeSplice(read(sample)), sample);
});

test('a cue of §14.1 starts a placement opportunity, with its length, restrictions and airing id', () => {
  const info = read(SAMPLES[0]!);
  assert.equal(spliceTicks(info), 0x0_72bd_0050);
  const { eventId, event } = segmentation(info.descriptors[0]);
  assert.equal(eventId, 0x4800_008e);
  assert.equal(event.durationTicks, 0x0001_a599_b0);
  assert.deepEqual(event.restrictions, {
    webDeliveryAllowed: false,
    noRegionalBlackout: true,
    archiveAllowed: true,
    deviceRestrictions: 3,
  });
  assert.deepEqual(event.upid, { type: 8, bytes: Buffer.from('000000002ca0a18a', 'hex') });
  assert.equal(event.typeId, SEGMENTATION_TYPES.providerPlacementStart);
  assert.deepEqual([event.segmentNum, event.segmentsExpected, event.subSegments], [2, 0, undefined]);
});

test('a cue of §14.2 is a splice_insert with time, length, automatic return and an avail descriptor', () => {
  const { command, descriptors, tier } = read(SAMPLES[1]!);
  assert.equal(tier, 0xfff);
  assert.deepEqual(command, {
    kind: 'splice_insert',
    eventId: 0x4800_008f,
    event: {
      outOfNetwork: true,
      time: 0x0_7369_c02e,
      components: undefined,
      idComplianceUnspecified: true,
      breakDuration: { ticks: 0x0_0052_ccf5, autoReturn: true },
      uniqueProgramId: 0,
      availNum: 0,
      availsExpected: 0,
    },
  });
  assert.deepEqual(descriptors, [{ kind: 'other', tag: 0, bytes: Buffer.from('4355454900000135', 'hex') }]);
});

test('a cue of §14.8 holds three descriptors in one message', () => {
  const ids = read(SAMPLES[7]!).descriptors.map((descriptor) => segmentation(descriptor));
  assert.deepEqual(
    ids.map(({ eventId, event }) => [eventId, event.typeId]),
    [
      [0x4800_00ad, SEGMENTATION_TYPES.providerPlacementEnd],
      [0x4800_0026, SEGMENTATION_TYPES.programEnd],
      [0x4800_0027, SEGMENTATION_TYPES.programStart],
    ],
  );
});

/** deepEqual compares prototypes, and fast-check's records have none of their own accord. */
const record = ((model: any) => fc.record(model, { noNullPrototype: true })) as typeof fc.record;
const bytes = (most: number) => fc.uint8Array({ maxLength: most }).map((array) => Buffer.from(array));
const whole = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }).map(Number);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const insert = record({
  outOfNetwork: fc.boolean(),
  time: fc.oneof(whole(33), fc.constantFrom('immediate' as const, 'unspecified' as const)),
  components: fc.constant(undefined),
  breakDuration: maybe(record({ ticks: whole(33), autoReturn: fc.boolean() })),
  idComplianceUnspecified: fc.boolean(),
  uniqueProgramId: whole(16),
  availNum: whole(8),
  availsExpected: whole(8),
});
const perComponent = record({ tag: whole(8), time: maybe(whole(33)) });
const byComponent = fc
  .tuple(insert, fc.array(perComponent, { maxLength: 4 }), fc.boolean())
  .map(([event, components, immediate]) => ({
    ...event,
    time: immediate ? ('immediate' as const) : ('unspecified' as const),
    components: components.map(({ tag, time }) => ({ tag, time: immediate ? undefined : time })),
  }));
const command: fc.Arbitrary<SpliceCommand> = fc.oneof(
  fc.constant({ kind: 'splice_null' as const }),
  record({ kind: fc.constant('time_signal' as const), time: maybe(whole(33)) }),
  record({
    kind: fc.constant('splice_insert' as const),
    eventId: whole(32),
    event: maybe(fc.oneof(insert, byComponent)),
  }),
  record({ kind: fc.constant('other' as const), type: fc.constantFrom(0x04, 0x07, 0x42, 0xff), bytes: bytes(60) }),
);
const restrictions = record({
  webDeliveryAllowed: fc.boolean(),
  noRegionalBlackout: fc.boolean(),
  archiveAllowed: fc.boolean(),
  deviceRestrictions: whole(2),
});
const segmentationEvent = record({
  restrictions: maybe(restrictions),
  components: maybe(fc.array(record({ tag: whole(8), offset: whole(33) }), { maxLength: 4 })),
  durationTicks: maybe(whole(40)),
  upid: record({ type: whole(8), bytes: bytes(80) }),
  typeId: whole(8),
  segmentNum: whole(8),
  segmentsExpected: whole(8),
  subSegments: maybe(record({ num: whole(8), expected: whole(8) })),
});
const descriptor: fc.Arbitrary<SpliceDescriptor> = fc.oneof(
  record({
    kind: fc.constant('segmentation' as const),
    eventId: whole(32),
    idComplianceUnspecified: fc.boolean(),
    event: maybe(segmentationEvent),
  }),
  record({ kind: fc.constant('other' as const), tag: fc.constantFrom(0, 1, 3, 0xf0), bytes: bytes(254) }),
);
const cue: fc.Arbitrary<SpliceInfo> = record({
  ptsAdjustment: whole(33),
  tier: whole(12),
  cwIndex: whole(8),
  sapType: whole(2),
  command,
  descriptors: fc.array(descriptor, { maxLength: 6 }),
});

test('a cue that is written is read back as it was meant', () => {
  fc.assert(
    fc.property(cue, (info) => assert.deepEqual(read(encodeSplice(info)), info)),
    { seed: 1 },
  );
});

test('damage in a cue is refused by name and never thrown, wherever it sits', () => {
  const damaged = fc.tuple(cue, fc.array(fc.tuple(fc.nat(), whole(8)), { maxLength: 5 }), fc.nat(), fc.boolean());
  fc.assert(
    fc.property(damaged, ([info, changes, cut, mend]) => {
      const section = encodeSplice(info);
      for (const [at, byte] of changes) section[at % section.length] = byte;
      // With a CRC that fits again, the damage reaches the fields themselves.
      if (mend) section.writeUInt32BE(crc32Mpeg(section.subarray(0, -4)), section.length - 4);
      decodeSplice(section);
      decodeSplice(section.subarray(0, cut % section.length));
      shiftSplice(section, 1);
    }),
    { seed: 1 },
  );
  fc.assert(
    fc.property(bytes(64), (noise) => assert.notEqual(decodeSplice(noise).refused, undefined)),
    { seed: 1 },
  );
  const [sample] = SAMPLES;
  const changed = Buffer.from(sample!);
  changed[20]! ^= 1;
  assert.equal(decodeSplice(changed).refused, 'damaged');
  assert.equal(decodeSplice(sample!.subarray(0, 30)).refused, 'cut_short');
  assert.equal(decodeSplice(Buffer.from([0x02, 0, 0])).refused, 'not_a_cue');
});

test('an encrypted cue is recognised, and can still be moved in time', () => {
  const section = Buffer.from(SAMPLES[1]!);
  section[4] = 0x80 | (1 << 1);
  section.writeUInt32BE(crc32Mpeg(section.subarray(0, -4)), section.length - 4);
  assert.deepEqual(decodeSplice(section), { refused: 'encrypted' });
  const shifted = shiftSplice(section, 90_000)!;
  assert.equal(shifted.readUIntBE(4, 5), 0x82_0000_0000 + 90_000);
  assert.equal(crc32Mpeg(shifted), 0);
});

test('a cue on another time line keeps its command, and its time counts on past the wrap, forth and back', () => {
  for (const ticks of [0, 1, 90_000, -90_000, 2 ** 33 - 5, -(2 ** 34)]) {
    const shifted = read(shiftSplice(SAMPLES[0]!, ticks)!);
    assert.deepEqual(shifted.command, read(SAMPLES[0]!).command);
    assert.equal(spliceTicks(shifted), (0x72bd_0050 + ticks + 2 ** 35) % 2 ** 33);
  }
  assert.equal(shiftSplice(Buffer.from('fc3000', 'hex'), 1), undefined);
});

test('a cue command of old senders, without its length, is read by itself', () => {
  const section = Buffer.from(SAMPLES[1]!);
  section[12] = 0xff;
  section[11]! |= 0x0f;
  section.writeUInt32BE(crc32Mpeg(section.subarray(0, -4)), section.length - 4);
  assert.deepEqual(read(section), read(SAMPLES[1]!));
});

test('a break is written as an operator means it', () => {
  const out = read(encodeSplice(breakOut({ eventId: 7, ticks: 900_000, durationTicks: 2_700_000, autoReturn: true })));
  assert.equal(spliceTicks(out), 900_000);
  assert.ok(out.command.kind === 'splice_insert' && out.command.event?.outOfNetwork === true);
  const now = read(encodeSplice(breakIn({ eventId: 7, ticks: undefined })));
  assert.ok(now.command.kind === 'splice_insert' && now.command.event?.time === 'immediate');
  assert.equal(spliceTicks(now), undefined);
  assert.deepEqual(read(encodeSplice(breakCancel(7))).command, { kind: 'splice_insert', eventId: 7, event: undefined });
  assert.deepEqual(read(heartbeat()).command, { kind: 'splice_null' });
  const upid = { type: 0x0f, bytes: Buffer.from('https://example.org/spot') };
  const start = segmentationCue({ eventId: 9, ticks: 5, typeId: SEGMENTATION_TYPES.providerAdStart, upid });
  assert.deepEqual(read(encodeSplice(start)), start);
});

test('a value that does not fit a cue is refused with its name', () => {
  const cases: [RegExp, SpliceInfo][] = [
    [/splice_event_id/u, breakIn({ eventId: 2 ** 32, ticks: 1 })],
    [/pts_time/u, breakIn({ eventId: 1, ticks: 2 ** 33 })],
    [/tier/u, { ...breakCancel(1), tier: 4096 }],
    [/254/u, { ...breakCancel(1), descriptors: [{ kind: 'other', tag: 0, bytes: Buffer.alloc(255) }] }],
    [
      /4096/u,
      { ...breakCancel(1), descriptors: Array(20).fill({ kind: 'other', tag: 0, bytes: Buffer.alloc(254) }) as [] },
    ],
  ];
  for (const [pattern, info] of cases)
    assert.throws(() => encodeSplice(info), { name: 'RangeError', message: pattern });
});

test('a cue is read as text: hex of HLS, XML of DASH, and whatever a person pastes', () => {
  const [, sample] = SAMPLES;
  assert.match(hexSequence(sample!), /^0xFC302F0000/u);
  assert.match(dashSignal(sample!), /<Binary>\/DAvAAAAAAAA[^<]*<\/Binary>/u);
  for (const text of [hexSequence(sample!), sample!.toString('hex'), ` ${sample!.toString('base64')}\n`])
    assert.deepEqual(cueBytes(text), sample);
  for (const text of ['', 'cue', '0x', 'FC3', 'ab cd']) assert.equal(cueBytes(text), undefined);
});
