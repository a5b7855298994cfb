/** One feed for all windows of a browser: HTTP/1.1 gives a browser six connections to a host. */
import { openLink } from './link.ts';

declare const self: { onconnect: ((event: MessageEvent) => void) | null } & typeof globalThis;

const ports = new Set<MessagePort>();
let link: ReturnType<typeof openLink> | undefined;

function close(port: MessagePort): void {
  ports.delete(port);
  if (ports.size > 0) return;
  link?.close();
  link = undefined;
}

self.onconnect = (event) => {
  const port = event.ports[0]!;
  port.onmessage = ({ data }: MessageEvent<{ root?: string; close?: boolean }>) => {
    if (data.close === true) {
      close(port);
      return;
    }
    ports.add(port);
    // A sign-in opens the feed anew; another window's feed that is open is shared.
    if (link?.mode().kind === 'mode' && (link.mode() as { mode: string }).mode === 'signed-out') {
      link.close();
      link = undefined;
    }
    if (link === undefined) {
      link = openLink(data.root ?? '', (news) => {
        for (const each of ports) each.postMessage(news);
      });
      return;
    }
    port.postMessage({ kind: 'state', state: link.state() });
    port.postMessage(link.mode());
  };
};
