/** Splice descriptors, SCTE 35 2023 §10: segmentation in full, all others as bytes. */
import { ByteReader, fieldBytes, ticks33Bytes } from '../codecs/byte-reader.ts';

/** "CUEI", the owner of the descriptors that the standard itself defines. */
const CUEI = 0x4355_4549;
const SEGMENTATION_TAG = 0x02;
/** SCTE 35 §10.2.1. */
const MAX_BODY_BYTES = 254;

/** The most usual values of segmentation_type_id, SCTE 35 §10.3.3.1 table 23. The end of each is one more. */
export const SEGMENTATION_TYPES = {
  programStart: 0x10,
  programEnd: 0x11,
  chapterStart: 0x20,
  chapterEnd: 0x21,
  breakStart: 0x22,
  breakEnd: 0x23,
  providerAdStart: 0x30,
  providerAdEnd: 0x31,
  distributorAdStart: 0x32,
  distributorAdEnd: 0x33,
  providerPlacementStart: 0x34,
  providerPlacementEnd: 0x35,
  distributorPlacementStart: 0x36,
  distributorPlacementEnd: 0x37,
} as const;

export type SpliceDescriptor = SegmentationDescriptor | OtherDescriptor;

export interface OtherDescriptor {
  kind: 'other';
  tag: number;
  /** All bytes after descriptor_length, the identifier first. */
  bytes: Buffer;
}

/** SCTE 35 §10.3.3. */
export interface SegmentationDescriptor {
  kind: 'segmentation';
  eventId: number;
  /** The bit as it is sent. False: the event id is made by the rules of §9.9.3; true: nobody knows. */
  idComplianceUnspecified: boolean;
  /** Undefined: the event announced before is cancelled. */
  event: SegmentationEvent | undefined;
}

export interface SegmentationEvent {
  /** Undefined: delivery is not restricted. */
  restrictions: DeliveryRestrictions | undefined;
  /** Set only in the deprecated component mode; `offset` is added to the cue's time, in ticks. */
  components: { tag: number; offset: number }[] | undefined;
  /** 90 kHz ticks, up to 40 bits: 141 days. */
  durationTicks: number | undefined;
  /** segmentation_upid; type 0 without bytes: none. §10.3.3.1 table 22. */
  upid: Upid;
  typeId: number;
  segmentNum: number;
  segmentsExpected: number;
  subSegments: { num: number; expected: number } | undefined;
}

export interface DeliveryRestrictions {
  webDeliveryAllowed: boolean;
  noRegionalBlackout: boolean;
  archiveAllowed: boolean;
  /** 0–2: a restricted group of devices; 3: none. */
  deviceRestrictions: number;
}

export interface Upid {
  type: number;
  bytes: Buffer;
}

/** Reads the next descriptor. Throws RangeError when the loop ends within it. A segmentation descriptor that makes no sense is kept as bytes. */
export function readDescriptor(loop: ByteReader): SpliceDescriptor {
  const tag = loop.unsigned(1);
  const bytes = loop.take(loop.unsigned(1));
  const other: OtherDescriptor = { kind: 'other', tag, bytes };
  if (tag !== SEGMENTATION_TAG || bytes.length < 4 || bytes.readUInt32BE() !== CUEI) return other;
  try {
    return readSegmentation(new ByteReader(bytes, 4));
  } catch (error) {
    if (error instanceof RangeError) return other;
    throw error;
  }
}

function readSegmentation(reader: ByteReader): SegmentationDescriptor {
  const eventId = reader.unsigned(4);
  const cancelAndCompliance = reader.unsigned(1);
  const idComplianceUnspecified = (cancelAndCompliance & 0x40) !== 0;
  const isCancelled = (cancelAndCompliance & 0x80) !== 0;
  const event = isCancelled ? undefined : readEvent(reader);
  return { kind: 'segmentation', eventId, idComplianceUnspecified, event };
}

function readEvent(reader: ByteReader): SegmentationEvent {
  const flags = reader.unsigned(1);
  const restrictions =
    (flags & 0x20) !== 0
      ? undefined
      : {
          webDeliveryAllowed: (flags & 0x10) !== 0,
          noRegionalBlackout: (flags & 0x08) !== 0,
          archiveAllowed: (flags & 0x04) !== 0,
          deviceRestrictions: flags & 0x03,
        };
  const components =
    (flags & 0x80) !== 0
      ? undefined
      : Array.from({ length: reader.unsigned(1) }, () => ({ tag: reader.unsigned(1), offset: reader.ticks33() }));
  const durationTicks = (flags & 0x40) === 0 ? undefined : reader.unsigned(5);
  const upidType = reader.unsigned(1);
  const upid = { type: upidType, bytes: reader.take(reader.unsigned(1)) };
  const [typeId, segmentNum, segmentsExpected] = [reader.unsigned(1), reader.unsigned(1), reader.unsigned(1)];
  // §10.3.3.1: not the type but descriptor_length tells whether sub-segments are there.
  const subSegments = reader.left < 2 ? undefined : { num: reader.unsigned(1), expected: reader.unsigned(1) };
  return { restrictions, components, durationTicks, upid, typeId, segmentNum, segmentsExpected, subSegments };
}

/** Writes a descriptor. Throws RangeError, with the field's name, for values that do not fit, and for a body of more than 254 bytes. */
export function descriptorBytes(descriptor: SpliceDescriptor): Buffer {
  const [tag, body] =
    descriptor.kind === 'other'
      ? [descriptor.tag, descriptor.bytes]
      : [SEGMENTATION_TAG, segmentationBytes(descriptor)];
  if (body.length > MAX_BODY_BYTES)
    throw new RangeError(`A splice descriptor holds ${MAX_BODY_BYTES} bytes, not ${body.length}.`);
  return Buffer.concat([fieldBytes('splice_descriptor_tag', tag, 8), Buffer.from([body.length]), body]);
}

function segmentationBytes({ eventId, idComplianceUnspecified, event }: SegmentationDescriptor): Buffer {
  const first = (event === undefined ? 0x80 : 0) | (idComplianceUnspecified ? 0x40 : 0) | 0x3f;
  const head = [
    fieldBytes('identifier', CUEI, 32),
    fieldBytes('segmentation_event_id', eventId, 32),
    Buffer.from([first]),
  ];
  return Buffer.concat(event === undefined ? head : [...head, ...eventFields(event)]);
}

function eventFields(event: SegmentationEvent): Buffer[] {
  const { restrictions, components, durationTicks, upid, subSegments } = event;
  const flags =
    (components === undefined ? 0x80 : 0) |
    (durationTicks === undefined ? 0 : 0x40) |
    (restrictions === undefined ? 0x3f : restrictionBits(restrictions));
  const fields: Buffer[] = [Buffer.from([flags])];
  if (components !== undefined) {
    fields.push(fieldBytes('component_count', components.length, 8));
    for (const { tag, offset } of components)
      fields.push(fieldBytes('component_tag', tag, 8), ticks33Bytes('pts_offset', offset, 0x7f));
  }
  if (durationTicks !== undefined) fields.push(fieldBytes('segmentation_duration', durationTicks, 40));
  fields.push(
    fieldBytes('segmentation_upid_type', upid.type, 8),
    fieldBytes('segmentation_upid_length', upid.bytes.length, 8),
    upid.bytes,
    fieldBytes('segmentation_type_id', event.typeId, 8),
    fieldBytes('segment_num', event.segmentNum, 8),
    fieldBytes('segments_expected', event.segmentsExpected, 8),
  );
  if (subSegments !== undefined)
    fields.push(
      fieldBytes('sub_segment_num', subSegments.num, 8),
      fieldBytes('sub_segments_expected', subSegments.expected, 8),
    );
  return fields;
}

function restrictionBits(restrictions: DeliveryRestrictions): number {
  const [devices] = fieldBytes('device_restrictions', restrictions.deviceRestrictions, 2);
  return (
    (restrictions.webDeliveryAllowed ? 0x10 : 0) |
    (restrictions.noRegionalBlackout ? 0x08 : 0) |
    (restrictions.archiveAllowed ? 0x04 : 0) |
    devices!
  );
}
