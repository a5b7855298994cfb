/** Reads from the address of a Channel where its datagrams are taken in, as ffmpeg reads it. */
import { isIPv6 } from 'node:net';
import { bareHost } from '../../../domain/network/networks.ts';
import { isMulticast } from '../../media/mpeg-ts/datagrams.ts';

export interface DatagramSource {
  isRtp: boolean;
  port: number;
  isIPv6: boolean;
  /** The group that is joined; undefined for datagrams to this machine. */
  group: string | undefined;
  /** Address of this machine's interface; undefined: whichever. */
  localAddress: string | undefined;
  /** Those of whom alone the group is wanted; empty: everybody. */
  senders: string[];
  isShared: boolean;
}

/** Options that say nothing of where datagrams come in; those of a buffer are left to the kernel. */
const IDLE = ['ttl', 'pkt_size', 'buffer_size', 'fifo_size', 'overrun_nonfatal'];

/** Undefined for an address with options that ffmpeg alone understands. */
export function datagramSource(address: string): DatagramSource | undefined {
  const { protocol, hostname, port, searchParams } = new URL(address);
  const { localaddr, sources, reuse, ...others } = Object.fromEntries(searchParams);
  if (Object.keys(others).some((name) => !IDLE.includes(name))) return undefined;
  const host = bareHost(hostname);
  const group = isMulticast(host) ? host : undefined;
  return {
    isRtp: protocol === 'rtp:',
    port: Number(port),
    isIPv6: isIPv6(host),
    group,
    localAddress: localaddr === '' ? undefined : localaddr,
    senders: group === undefined || sources === undefined ? [] : sources.split(',').filter((one) => one !== ''),
    isShared: group === undefined ? reuse === '1' : reuse !== '0',
  };
}
