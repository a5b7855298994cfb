/** Puts the PES units of one PID of a source together, and counts what is missing between its packets. */
import { PACKET_BYTES, payloadStart, startsUnit } from './mpeg-ts.ts';
import { FIXED_HEADER, readPesHeader, type PesHeader } from './pes-header.ts';

export interface JoinedUnit {
  header: PesHeader;
  /** The whole unit, good until the next one begins. */
  pes: Buffer;
  /** Its sender says that decoding can begin with it. */
  isMarked: boolean;
}

export interface UnitHooks {
  onUnit(unit: JoinedUnit): void;
  /** Nothing here can read what comes. */
  onUnfit(why: string): void;
}

const FIRST_BYTES = 65_536;
/** A keyframe of a very large picture is a tenth of it. */
const MAX_UNIT_BYTES = 8 << 20;
/** A picture begins with one of these: a delimiter of H.264 or HEVC, a sequence or picture of MPEG-2. */
const BEGINNINGS = [0x09, 0x46, 0xb3, 0x00];

export class UnitJoiner {
  private readonly isPicture: boolean;
  private readonly hooks: UnitHooks;
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private size = 0;
  private isOpen = false;
  private isMarked = false;
  private counter: number | undefined;
  /** The packet before shows whether one is sent twice. */
  private before: { data: Buffer; at: number } | undefined;
  /** Places where packets were missing or damaged. */
  holes = 0;

  constructor(isPicture: boolean, hooks: UnitHooks) {
    this.isPicture = isPicture;
    this.hooks = hooks;
  }

  /** Takes the packet at `at`. */
  push(data: Buffer, at: number): void {
    if ((data[at + 1]! & 0x80) !== 0) return;
    if ((data[at + 3]! & 0xc0) !== 0) return this.hooks.onUnfit('it is scrambled');
    const hasField = (data[at + 3]! & 0x20) !== 0 && data[at + 4]! > 0;
    if (hasField && (data[at + 5]! & 0x80) !== 0) this.counter = undefined;
    const [from, end] = [payloadStart(data, at), at + PACKET_BYTES];
    if (from >= end || this.isRepeated(data, at)) return;
    if (!startsUnit(data, at)) return this.append(data, from, end);
    const header = readPesHeader(data, from, end);
    if (header?.isScrambled === true) return this.hooks.onUnfit('it is scrambled');
    if (
      this.isPicture &&
      this.isOpen &&
      header !== undefined &&
      header.pts === undefined &&
      isWhole(header, end - from)
    )
      return this.goOn(data, from + header.bytes, end);
    this.finish();
    this.isOpen = true;
    this.isMarked = hasField && (data[at + 5]! & 0x40) !== 0;
    this.append(data, from, end);
  }

  /** Hands on the last unit as far as it has come. */
  finish(): void {
    const { size, isOpen } = this;
    this.size = 0;
    this.isOpen = false;
    const pes = this.bytes.subarray(0, size);
    const header = isOpen ? readPesHeader(pes, 0, size) : undefined;
    if (header === undefined || header.bytes >= size) return;
    const end = header.unitBytes === 0 ? size : Math.min(size, header.unitBytes);
    if (end > header.bytes) this.hooks.onUnit({ header, pes: pes.subarray(0, end), isMarked: this.isMarked });
  }

  /** A picture may take several units, of which the first alone has times. */
  private goOn(data: Buffer, from: number, end: number): void {
    const isNext = from + 4 < end && BEGINNINGS.includes(data[from + 3]! === 1 ? data[from + 4]! : data[from + 3]!);
    if (isNext && data[from] === 0 && data[from + 1] === 0 && data[from + 2]! <= 1)
      return this.hooks.onUnfit('its pictures have no times');
    // What follows belongs to a unit that is longer than it says.
    this.bytes.writeUInt16BE(0, 4);
    this.append(data, from, end);
  }

  /** A packet may be sent twice (§2.4.3.3). Some encoders never count: their packets have one counter and other bytes. */
  private isRepeated(data: Buffer, at: number): boolean {
    const { counter, before } = this;
    const now = data[at + 3]! & 15;
    this.counter = now;
    this.before = { data, at };
    if (counter === undefined || now === ((counter + 1) & 15)) return false;
    if (now !== counter) {
      this.holes += 1;
      return false;
    }
    const end = at + PACKET_BYTES;
    return before?.data.compare(data, at, end, before.at, before.at + PACKET_BYTES) === 0;
  }

  private append(data: Buffer, from: number, end: number): void {
    if (!this.isOpen) return;
    const size = this.size + end - from;
    if (size > MAX_UNIT_BYTES) {
      this.isOpen = false;
      this.size = 0;
      return;
    }
    if (size > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.size);
      this.bytes = larger;
    }
    data.copy(this.bytes, this.size, from, end);
    this.size = size;
    // A picture may go on in the next unit.
    if (this.isPicture || size < FIXED_HEADER) return;
    const length = this.bytes.readUInt16BE(4);
    if (length > 0 && size >= length + 6) this.finish();
  }
}

function isWhole({ bytes }: PesHeader, size: number): boolean {
  return bytes <= size;
}
