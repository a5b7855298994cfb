/** Collects which captions there are, for those that announce them: CC1 to CC4 of CEA-608, services 1 to 63 of CEA-708. */
import { FIELD_1, FIELD_2, isCommand, PACKET_DATA, PACKET_START, PAIR_BYTES, withParity } from './cc-data.ts';

/** INSTREAM-ID of RFC 8216 §4.3.4.1. */
export type CaptionChannel = `CC${1 | 2 | 3 | 4}` | `SERVICE${number}`;

/** Commands of captions, not of text mode: RCL, RU2 to RU4, RDC (CEA-608-E table 52). */
const CAPTION_COMMANDS = [0x20, 0x25, 0x26, 0x27, 0x29];

export class CaptionChannels {
  private readonly seen = new Set<CaptionChannel>();

  /** The channels in the order of their numbers. */
  get all(): CaptionChannel[] {
    const order = (name: CaptionChannel): number => Number(/\d+/u.exec(name)![0]) + (name.startsWith('CC') ? 0 : 100);
    return [...this.seen].sort((a, b) => order(a) - order(b));
  }

  get isEmpty(): boolean {
    return this.seen.size === 0;
  }

  /** Takes the pairs of one frame. */
  note(pairs: Buffer): void {
    for (let at = 0; at < pairs.length; at += PAIR_BYTES) {
      const [type, a, b] = [pairs[at]!, pairs[at + 1]!, pairs[at + 2]!];
      // A caption encoder sends empty pairs while nobody speaks: they announce the channel that all of them have.
      if (type === FIELD_1) this.seen.add('CC1');
      if (type === FIELD_1 || type === FIELD_2) this.noteCommand(type, a, b);
      else if (type === PACKET_START) this.notePacket(pairs, at);
    }
  }

  private noteCommand(field: number, a: number, b: number): void {
    if (a !== withParity(a) || b !== withParity(b) || !isCommand(a)) return;
    // Bit 0 tells the fields apart, and some encoders leave it out; bit 3 is the second channel of a field.
    if ((a & 0x76) !== 0x14 || !CAPTION_COMMANDS.includes(b & 0x7f)) return;
    const second = (a & 0x08) !== 0;
    if (field === FIELD_1) this.seen.add(second ? 'CC2' : 'CC1');
    else this.seen.add(second ? 'CC4' : 'CC3');
  }

  /** Looks at the service blocks of a packet (CEA-708-E §5 and §6.2), but not at its rest in later frames. */
  private notePacket(pairs: Buffer, from: number): void {
    const bytes: number[] = [pairs[from + 1]!, pairs[from + 2]!];
    for (let at = from + PAIR_BYTES; at < pairs.length && pairs[at] === PACKET_DATA; at += PAIR_BYTES)
      bytes.push(pairs[at + 1]!, pairs[at + 2]!);
    const size = (bytes[0]! & 0x3f) * 2 || 128;
    const end = Math.min(size, bytes.length);
    for (let at = 1; at < end;) {
      const length = bytes[at]! & 0x1f;
      let service = bytes[at]! >> 5;
      if (service === 0 || length === 0) return;
      const isExtended = service === 7;
      if (isExtended) service = (bytes[at + 1] ?? 0) & 0x3f;
      if (service === 0) return;
      this.seen.add(`SERVICE${service}`);
      at += length + (isExtended ? 2 : 1);
    }
  }
}
