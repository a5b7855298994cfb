/**
 * Captions as they lie in a frame: ATSC A/53 Part 4 §6.2.3 around the cc_data of CEA-708-E §4.4. Here a pair has three bytes: its cc_type
 * and the two. Types 0 and 1 are the fields of line 21 (CEA-608-E), 2 and 3 the packets of CEA-708.
 */
export const PAIR_BYTES = 3;
export const FIELD_1 = 0;
export const FIELD_2 = 1;
export const PACKET_DATA = 2;
export const PACKET_START = 3;

const GA94 = Buffer.from('GA94');
const CC_DATA = 0x03;
/** itu_t_t35_country_code of the United States and itu_t_t35_provider_code of ATSC. */
const ATSC = Buffer.from([0xb5, 0x00, 0x31]);

/** The captions of one frame. */
export interface FrameCaptions {
  /** Valid pairs, empty ones included; undefined when the frame has no captions of this kind. */
  pairs: Buffer | undefined;
  /** Name of a form of captions that is not read here. */
  unreadable: string | undefined;
}

/** Reads MPEG-2 user data (after its start code), or T.35 data from the country code on. */
export function captionsIn(user: Buffer): FrameCaptions {
  const payload = user.subarray(0, ATSC.length).equals(ATSC) ? user.subarray(ATSC.length) : user;
  if (payload.subarray(0, GA94.length).equals(GA94) && payload[GA94.length] === CC_DATA)
    return { pairs: validPairs(payload.subarray(GA94.length + 1)), unreadable: undefined };
  return { pairs: undefined, unreadable: payload === user ? otherKind(user) : undefined };
}

function otherKind(user: Buffer): string | undefined {
  // SCTE 20 §6 begins with user_data_type_code 3 and seven reserved bits that are set; the flag of VBI data follows.
  if (user[0] === 0x03 && user.length > 2 && user[1]! >> 1 === 0x40) return 'SCTE 20';
  // Line 21 of a DVD begins with "CC", 1, and the length of a block, 0xf8.
  return user.subarray(0, 4).equals(Buffer.from([0x43, 0x43, 0x01, 0xf8])) ? 'DVD line 21' : undefined;
}

function validPairs(data: Buffer): Buffer | undefined {
  if (data.length < 2 || (data[0]! & 0x40) === 0) return undefined;
  const end = Math.min(data.length, 2 + PAIR_BYTES * (data[0]! & 0x1f));
  const pairs: number[] = [];
  for (let at = 2; at + PAIR_BYTES <= end; at += PAIR_BYTES)
    if ((data[at]! & 0x04) !== 0) pairs.push(data[at]! & 0x03, data[at + 1]!, data[at + 2]!);
  return Buffer.from(pairs);
}

/** Returns T.35 data of a frame; `triples` are cc_data_pkt as they are sent, 31 at most. */
export function atscUserData(triples: Buffer): Buffer {
  const count = triples.length / PAIR_BYTES;
  // process_em_data_flag and process_cc_data_flag are set, em_data and the marker are ones.
  return Buffer.concat([ATSC, GA94, Buffer.from([CC_DATA, 0xc0 | count, 0xff]), triples, Buffer.from([0xff])]);
}

/** An empty pair holds no character and no command. */
export function isEmptyPair(a: number, b: number): boolean {
  return ((a | b) & 0x7f) === 0;
}

/** A command is sent twice (CEA-608-E §8.2); the second of two equal ones that follow each other directly counts for nothing. */
export function isCommand(a: number): boolean {
  return (a & 0x70) === 0x10;
}

/** Every byte has odd parity (CEA-608-E §4.4). */
export function withParity(byte: number): number {
  let ones = 0;
  for (let bits = byte & 0x7f; bits > 0; bits >>= 1) ones += bits & 1;
  return ones % 2 === 0 ? byte | 0x80 : byte & 0x7f;
}
