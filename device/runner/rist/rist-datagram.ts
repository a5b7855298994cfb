/** Tells what comes to a port of RIST by the first bytes of a datagram (TR-06-1, §5; TR-06-2, §5). */
import type { RistSettings } from '../../../domain/network/rist.ts';

/** Protocols in the GRE header of the main profile: both reduced overheads, VSF's own, whole IPv4 packets, and EAPOL. */
const GRE_PROTOCOLS = new Set([0x88b5, 0x88b6, 0xcce0, 0x0800, 0x888e]);
const KEY_FLAG = 0x20;
const TS_SYNC = 0x47;
const TS_PACKET_BYTES = 188;

/** Says why a datagram is not taken, as half a sentence that goes on after its sender; undefined for one that is. */
export function datagramIssue(data: Buffer, { profile, secret }: RistSettings): string | undefined {
  if (data[0] === TS_SYNC && data.length % TS_PACKET_BYTES === 0)
    return 'sends plain UDP, which is not taken here; let it send RIST';
  // Version 2 stands in the first bits of RTP and of RTCP alike.
  if (profile === 'simple')
    return data.length >= 8 && data[0]! >> 6 === 2 ? undefined : 'sends no RIST of the simple profile';
  if (data.length < 8 || !GRE_PROTOCOLS.has(data.readUInt16BE(2))) return 'sends no RIST of the main profile';
  const isEncrypted = (data[0]! & KEY_FLAG) !== 0;
  // librist itself takes what comes without encryption, whatever secret it has.
  if (secret !== null && !isEncrypted) return 'sends without encryption, and there is a secret';
  if (secret === null && isEncrypted) return 'sends with encryption, and no secret is set here';
  return undefined;
}
