/**
 * Reads and writes cue messages: splice_info_section of SCTE 35 2023. Times are ticks of 90 kHz, 33 bits wide. Parts that are not
 * understood (splice_schedule, private commands, descriptors of others) are kept as bytes, so that a cue can be passed on.
 */
import { ByteReader, fieldBytes, ticks33Bytes } from '../codecs/byte-reader.ts';
import { crc32Mpeg } from '../mpeg-ts/psi.ts';
import { descriptorBytes, readDescriptor, type SpliceDescriptor } from './scte35-descriptor.ts';

const TABLE_ID = 0xfc;
/** SCTE 35 §9.6.1: section_length goes up to 4093, three bytes come before. */
const MAX_SECTION_BYTES = 4096;
const TICKS_WRAP = 2 ** 33;
/** splice_command_length of senders from before the field existed: the command itself determines its end. */
const LENGTH_UNKNOWN = 0xfff;
/** SCTE 35 §9.6, table 7. */
const NULL_TYPE = 0x00;
const INSERT_TYPE = 0x05;
const SIGNAL_TYPE = 0x06;

export interface SpliceInfo {
  /** Added to every time in the message, modulo 2^33: equipment that restamps a stream writes it. */
  ptsAdjustment: number;
  /** 0xfff means everybody. */
  tier: number;
  /** Names the key of an encrypted message; without meaning here, but kept. */
  cwIndex: number;
  /** 3: nobody knows whether the splice point is a stream access point. */
  sapType: number;
  command: SpliceCommand;
  descriptors: SpliceDescriptor[];
}

export type SpliceCommand =
  | { kind: 'splice_null' }
  | SpliceInsert
  /** `time` undefined: at once. */
  | { kind: 'time_signal'; time: number | undefined }
  | { kind: 'other'; type: number; bytes: Buffer };

/** SCTE 35 §9.7.3. */
export interface SpliceInsert {
  kind: 'splice_insert';
  eventId: number;
  /** Undefined: the event announced before is cancelled. */
  event: SpliceEvent | undefined;
}

export interface SpliceEvent {
  /** True: the break begins; false: it ends. */
  outOfNetwork: boolean;
  /** `unspecified` leaves the time to each component, or to nobody. */
  time: number | 'immediate' | 'unspecified';
  /** Set only in the deprecated component mode; otherwise the whole program is spliced. */
  components: { tag: number; time: number | undefined }[] | undefined;
  breakDuration: { ticks: number; autoReturn: boolean } | undefined;
  /** The bit as it is sent. False: the event id is made by the rules of §9.9.3; true: nobody knows. */
  idComplianceUnspecified: boolean;
  uniqueProgramId: number;
  availNum: number;
  availsExpected: number;
}

/** The reason why a section has no cue. `encrypted`: intact, but its command needs a key (§11). */
export type SpliceRefusal = 'not_a_cue' | 'cut_short' | 'damaged' | 'unknown_version' | 'encrypted' | 'malformed';

export type DecodedSplice = { info: SpliceInfo; refused?: undefined } | { info?: undefined; refused: SpliceRefusal };

/** Reads one section, CRC included; bytes behind it are left alone. Never throws: a damaged section is refused by name. */
export function decodeSplice(data: Buffer): DecodedSplice {
  if (data.length > 0 && data[0] !== TABLE_ID) return { refused: 'not_a_cue' };
  if (data.length < 3) return { refused: 'cut_short' };
  const length = 3 + (data.readUInt16BE(1) & 0x0fff);
  if (length > data.length) return { refused: 'cut_short' };
  const section = data.subarray(0, length);
  if (length < 20 || crc32Mpeg(section) !== 0) return { refused: 'damaged' };
  if (section[3] !== 0) return { refused: 'unknown_version' };
  if ((section[4]! & 0x80) !== 0) return { refused: 'encrypted' };
  try {
    return { info: readSection(section) };
  } catch (error) {
    if (error instanceof RangeError) return { refused: 'malformed' };
    throw error;
  }
}

function readSection(section: Buffer): SpliceInfo {
  const reader = new ByteReader(section, 1, section.length - 4);
  const sapType = (reader.unsigned(2) >> 12) & 3;
  reader.skip(1);
  const ptsAdjustment = reader.ticks33();
  const cwIndex = reader.unsigned(1);
  const tierAndLength = reader.unsigned(3);
  const type = reader.unsigned(1);
  const command = readCommand(reader, type, tierAndLength & 0xfff);
  const loop = new ByteReader(reader.take(reader.unsigned(2)));
  const descriptors: SpliceDescriptor[] = [];
  while (loop.left > 0) descriptors.push(readDescriptor(loop));
  return { ptsAdjustment, tier: tierAndLength >> 12, cwIndex, sapType, command, descriptors };
}

function readCommand(section: ByteReader, type: number, length: number): SpliceCommand {
  const known = length !== LENGTH_UNKNOWN;
  const reader = known ? new ByteReader(section.take(length)) : section;
  if (type === NULL_TYPE) return { kind: 'splice_null' };
  if (type === INSERT_TYPE) return readInsert(reader);
  if (type === SIGNAL_TYPE) return { kind: 'time_signal', time: readTime(reader) };
  if (!known) throw new RangeError(`A command of type ${type} without its length hides what follows.`);
  return { kind: 'other', type, bytes: reader.rest() };
}

/** Reads splice_time, SCTE 35 §9.8.1. */
function readTime(reader: ByteReader): number | undefined {
  const first = reader.unsigned(1);
  return (first & 0x80) === 0 ? undefined : (first & 1) * 2 ** 32 + reader.unsigned(4);
}

function readInsert(reader: ByteReader): SpliceInsert {
  const eventId = reader.unsigned(4);
  if ((reader.unsigned(1) & 0x80) !== 0) return { kind: 'splice_insert', eventId, event: undefined };
  const flags = reader.unsigned(1);
  const immediate = (flags & 0x10) !== 0;
  const whole = (flags & 0x40) !== 0;
  const common = whole && !immediate ? readTime(reader) : undefined;
  const components = whole
    ? undefined
    : Array.from({ length: reader.unsigned(1) }, () => {
        return { tag: reader.unsigned(1), time: immediate ? undefined : readTime(reader) };
      });
  const event: SpliceEvent = {
    outOfNetwork: (flags & 0x80) !== 0,
    time: immediate ? 'immediate' : (common ?? 'unspecified'),
    components,
    breakDuration: (flags & 0x20) === 0 ? undefined : readBreak(reader),
    idComplianceUnspecified: (flags & 0x08) !== 0,
    uniqueProgramId: reader.unsigned(2),
    availNum: reader.unsigned(1),
    availsExpected: reader.unsigned(1),
  };
  return { kind: 'splice_insert', eventId, event };
}

/** Reads break_duration, SCTE 35 §9.8.2. */
function readBreak(reader: ByteReader): { ticks: number; autoReturn: boolean } {
  const first = reader.unsigned(1);
  return { autoReturn: (first & 0x80) !== 0, ticks: (first & 1) * 2 ** 32 + reader.unsigned(4) };
}

/** Writes one section with its CRC. Throws RangeError, with the field's name, for values that do not fit, and for more than 4096 bytes. */
export function encodeSplice(info: SpliceInfo): Buffer {
  const [type, command] = commandBytes(info.command);
  const descriptors = Buffer.concat(info.descriptors.map(descriptorBytes));
  const body = Buffer.concat([
    Buffer.from([0]),
    ticks33Bytes('pts_adjustment', info.ptsAdjustment, 0),
    fieldBytes('cw_index', info.cwIndex, 8),
    // tier and splice_command_length share three bytes.
    fieldBytes('tier and command length', tierField(info.tier) * 0x1000 + commandLength(command), 24),
    fieldBytes('splice_command_type', type, 8),
    command,
    fieldBytes('descriptor_loop_length', descriptors.length, 16),
    descriptors,
  ]);
  const length = 3 + body.length + 4;
  if (length > MAX_SECTION_BYTES)
    throw new RangeError(`A cue of ${length} bytes is longer than the ${MAX_SECTION_BYTES} of a section.`);
  const [sapType] = fieldBytes('sap_type', info.sapType, 2);
  const head = fieldBytes('section_length', sapType! * 0x1000 + length - 3, 16);
  return withCrc(Buffer.concat([Buffer.from([TABLE_ID]), head, body, Buffer.alloc(4)]));
}

function tierField(tier: number): number {
  return fieldBytes('tier', tier, 12).readUInt16BE();
}

function commandLength({ length }: Buffer): number {
  if (length >= LENGTH_UNKNOWN) throw new RangeError(`A command of ${length} bytes does not fit.`);
  return length;
}

function commandBytes(command: SpliceCommand): [number, Buffer] {
  switch (command.kind) {
    case 'splice_null':
      return [NULL_TYPE, Buffer.alloc(0)];
    case 'splice_insert':
      return [INSERT_TYPE, insertBytes(command)];
    case 'time_signal':
      return [SIGNAL_TYPE, timeBytes(command.time)];
    case 'other':
      return [command.type, command.bytes];
  }
}

function timeBytes(time: number | undefined): Buffer {
  return time === undefined ? Buffer.from([0x7f]) : ticks33Bytes('pts_time', time, 0x7f);
}

function insertBytes({ eventId, event }: SpliceInsert): Buffer {
  const id = fieldBytes('splice_event_id', eventId, 32);
  if (event === undefined) return Buffer.concat([id, Buffer.from([0xff])]);
  const { time, components, breakDuration } = event;
  const flags =
    (event.outOfNetwork ? 0x80 : 0) |
    (components === undefined ? 0x40 : 0) |
    (breakDuration === undefined ? 0 : 0x20) |
    (time === 'immediate' ? 0x10 : 0) |
    (event.idComplianceUnspecified ? 0x08 : 0);
  const parts = [id, Buffer.from([0x7f, flags | 0x07])];
  if (components === undefined) {
    if (time !== 'immediate') parts.push(timeBytes(time === 'unspecified' ? undefined : time));
  } else {
    if (typeof time === 'number') throw new RangeError('With components, each has a splice_time of its own.');
    parts.push(fieldBytes('component_count', components.length, 8));
    for (const { tag, time: own } of components)
      parts.push(fieldBytes('component_tag', tag, 8), ...(time === 'immediate' ? [] : [timeBytes(own)]));
  }
  if (breakDuration !== undefined)
    parts.push(ticks33Bytes('duration', breakDuration.ticks, breakDuration.autoReturn ? 0x7f : 0x3f));
  parts.push(
    fieldBytes('unique_program_id', event.uniqueProgramId, 16),
    fieldBytes('avail_num', event.availNum, 8),
    fieldBytes('avails_expected', event.availsExpected, 8),
  );
  return Buffer.concat(parts);
}

function withCrc(section: Buffer): Buffer {
  section.writeUInt32BE(crc32Mpeg(section.subarray(0, -4)), section.length - 4);
  return section;
}

/**
 * Returns the same cue `ticks` later (below 0: earlier): only pts_adjustment and the CRC change, as SCTE 35 §9.6.1 asks of equipment that
 * restamps a stream, so it also works on encrypted sections. Undefined for bytes that are no intact section.
 */
export function shiftSplice(section: Buffer, ticks: number): Buffer | undefined {
  const { refused } = decodeSplice(section);
  if (refused !== undefined && refused !== 'encrypted' && refused !== 'malformed') return undefined;
  const shifted = Buffer.from(section.subarray(0, 3 + (section.readUInt16BE(1) & 0x0fff)));
  const high = shifted[4]! & 0xfe;
  const adjustment = (shifted.readUIntBE(4, 5) % TICKS_WRAP) + Math.round(ticks);
  shifted.set(ticks33Bytes('pts_adjustment', adjustment - Math.floor(adjustment / TICKS_WRAP) * TICKS_WRAP, 0), 4);
  shifted[4] = high | (shifted[4]! & 1);
  return withCrc(shifted);
}

/** Returns when the cue takes effect, pts_adjustment included, in 33-bit ticks; undefined: at once, or the command has no time. */
export function spliceTicks({ command, ptsAdjustment }: SpliceInfo): number | undefined {
  const time = command.kind === 'time_signal' ? command.time : undefined;
  const event = command.kind === 'splice_insert' ? command.event : undefined;
  // §9.9.2.1: in component mode the time of the first component is the one of all that have none.
  const own = time ?? (typeof event?.time === 'number' ? event.time : event?.components?.[0]?.time);
  return own === undefined ? undefined : (own + ptsAdjustment) % TICKS_WRAP;
}
