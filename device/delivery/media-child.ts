/** The child side of MediaProcess: answers connections that are handed to it, and ends with its parent. */
import type { Socket } from 'node:net';
import { PortConnections } from '../connections.ts';
import { serveMedia, type MediaDeps } from './media-connection.ts';
import { handOver, type HandedOver, type MediaWord } from './media-process.ts';
import { connectionLimits, useForMedia } from './viewer-limits.ts';

/** `begin` turns the settings that the control plane sends into the parts that answer connections. */
export function runMediaChild<T>(begin: (settings: T) => MediaDeps): void {
  const say = (word: MediaWord): void => void process.send?.(word);
  process.on('disconnect', () => process.exit(0));
  // The control plane ends this process when it ends itself; an interrupt from the terminal does not.
  process.on('SIGINT', () => undefined);
  process.once('message', (settings: T) => {
    const begun = begin(settings);
    const connections = new PortConnections({
      limits: connectionLimits(),
      addressOf: (socket) => begun.addressOf(socket, () => undefined),
      useOf: useForMedia,
    });
    const deps: MediaDeps = { ...begun, onRequest: (socket) => connections.hasAsked(socket) };
    process.on('message', (message: HandedOver, socket: Socket | undefined) => {
      say('taken');
      // It is undefined when its viewer was gone on the way.
      if (socket === undefined) return;
      if (!connections.enter(socket)) return void socket.destroy();
      serveMedia(socket, Buffer.from(message.bytes, 'base64'), deps, (other, bytes) => {
        handOver(process, other, bytes);
        connections.leave(other);
      });
    });
    say('ready');
  });
}
