/** One feed for all windows of a browser: HTTP/1.1 gives a browser six connections to a host. */
import { createHub, type HubWindow, type Told, type WindowMessage } from './hub.ts';
import { machineNow } from '../machine-clock.ts';

declare const self: { onconnect: ((event: MessageEvent) => void) | null } & typeof globalThis;

const hub = createHub(() => performance.now());

self.onconnect = (event) => {
  const port = event.ports[0]!;
  const window: HubWindow = { tell: (news) => port.postMessage({ news, toldAt: machineNow() } satisfies Told) };
  port.onmessage = ({ data }: MessageEvent<WindowMessage>) => hub.hear(window, data);
};
