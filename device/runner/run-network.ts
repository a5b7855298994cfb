/** The ways of an ffmpeg to other machines, each of which applies the rules of where its requests may go. */
import type { Reach } from '../../domain/network/networks.ts';
import { WebProxy } from './input/web-proxy.ts';
import { authorities } from './process/certificates.ts';
import type { RunNetwork } from './process/child-processes.ts';
import { RtspRelay } from './rtsp/rtsp-relay.ts';

export async function openRunNetwork(reach: Reach): Promise<RunNetwork & { close(): void }> {
  const proxy = await WebProxy.open(reach);
  const relay = await RtspRelay.open(reach, authorities);
  return {
    reach,
    proxyUrl: proxy.url,
    rtspAddress: relay.addressOf.bind(relay),
    close() {
      proxy.close();
      relay.close();
    },
  };
}
