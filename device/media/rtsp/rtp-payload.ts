/** The parts of an RTP packet (RFC 3550 §5.1). */

const HEADER_BYTES = 12;
/** RFC 3551 §6: MP2T. */
const TRANSPORT_STREAM = 33;

/** Returns the number of its sender; undefined for what is no RTP. */
export function rtpSender(packet: Buffer): number | undefined {
  return packet.length >= HEADER_BYTES && packet[0]! >> 6 === 2 ? packet.readUInt32BE(8) : undefined;
}

export function isTransportStream(packet: Buffer): boolean {
  return (packet[1]! & 0x7f) === TRANSPORT_STREAM;
}

/** Empty for a packet that is cut short. */
export function rtpPayload(packet: Buffer): Buffer {
  const [first] = packet as unknown as [number];
  let from = HEADER_BYTES + 4 * (first & 15);
  if ((first & 0x10) !== 0) from += from + 4 <= packet.length ? 4 + 4 * packet.readUInt16BE(from + 2) : packet.length;
  const padding = (first & 0x20) === 0 ? 0 : packet[packet.length - 1]!;
  return packet.subarray(Math.min(from, packet.length), Math.max(from, packet.length - padding));
}
