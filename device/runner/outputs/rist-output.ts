/** STREAM by RIST: one rendition to one receiver. The secret is in a private file that is removed once media arrive there, or the attempt has ended. */
import { rmSync, writeFileSync } from 'node:fs';
import type { RistSettings } from '../../../domain/network/rist.ts';
import { ristArgs, ristPreset } from '../../media/rist/rist-args.ts';
import { RistPeer, ristReason } from '../../media/rist/rist-peer.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { NULL_DATAGRAM } from '../../media/mpeg-ts/datagrams.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { PacketSource } from '../stream/fan-out.ts';
import { viewStreams } from '../stream/program-view.ts';
import { TransportView } from '../stream/transport-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { Publisher } from './publisher.ts';

export interface RistOptions {
  name: string;
  url: string;
  /** The address that the host of `url` was resolved to and that was checked; it takes the host's place. */
  address: string;
  rist: RistSettings;
  rendition: RenditionPlan;
  presetFile: string;
}

export function beginRist(
  options: RistOptions,
  children: ChildProcesses,
  packets: PacketSource,
  hooks: AttemptHooks,
): Attempt {
  const { name, rist, rendition, presetFile, address } = options;
  const { host, port } = new URL(options.url);
  const url = `rist://${address.includes(':') ? `[${address}]` : address}:${port}`;
  writeFileSync(presetFile, ristPreset(rist), { mode: 0o600 });
  const forget = (): void => rmSync(presetFile, { force: true });
  const peer = new RistPeer();
  const plan = {
    name,
    args: ristArgs(url, rist, presetFile),
    access: { reads: [presetFile] },
    streams: viewStreams(rendition),
    openView: (out: (bytes: Buffer) => void) => new TransportView(viewStreams(rendition), packets.streams, out),
    // librist calls its receiver as soon as ffmpeg opens the address, which it does with its first bytes.
    primer: NULL_DATAGRAM,
    // ffmpeg reports nothing while it waits for media, which come once the receiver is there.
    isProven: () => peer.isThere,
    onLine: (line: string) => {
      peer.read(line, performance.now());
      return peer.isThere;
    },
    lossOf: () => peer.lossOf(host, performance.now()),
    explain: (words: string) => ristReason(words, host, rist.secret !== null),
    isRefusal: (words: string) => /another secret/u.test(ristReason(words, host, true)),
    onUp: forget,
    onGone: forget,
  };
  return new Publisher(plan, children, packets, hooks);
}
