/** The child side of MediaProcess: answers connections that are handed to it, and ends with its parent. */
import type { Socket } from 'node:net';
import type { DeliveryPlace } from '../../domain/shapes/destinations/playback.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { PortConnections } from '../connections.ts';
import { serveMedia, type MediaDeps } from './media-connection.ts';
import { handOver, type HandedOver, type MediaWord, type PlaceQuestion, type PlaceWord } from './media-process.ts';
import { keptPlaces, type PlaceOf } from './others/other-devices.ts';
import { connectionLimits, useForMedia } from './viewer-limits.ts';

/** `begin` turns the settings that the control plane sends into the parts that answer connections. */
export function runMediaChild<T>(begin: (settings: T, placeOf: PlaceOf) => MediaDeps): void {
  const say = (word: MediaWord): void => void process.send?.(word);
  process.on('disconnect', () => process.exit(0));
  // The control plane ends this process when it ends itself; an interrupt from the terminal does not.
  process.on('SIGINT', () => undefined);
  process.once('message', (settings: T) => {
    const questions = new Questions();
    const begun = begin(settings, keptPlaces(questions.ask, systemClock));
    const connections = new PortConnections({
      limits: connectionLimits(),
      addressOf: (socket) => begun.addressOf(socket, () => undefined),
      useOf: useForMedia,
    });
    const deps: MediaDeps = { ...begun, onRequest: (socket) => connections.hasAsked(socket) };
    process.on('message', (message: HandedOver | PlaceWord, socket: Socket | undefined) => {
      if ('number' in message) return questions.answered(message);
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

/** Questions to the control plane, which answers in its next turn; when that ends this process does, too. */
class Questions {
  private readonly open = new Map<number, (place: DeliveryPlace | undefined) => void>();
  private last = 0;

  readonly ask: PlaceOf = (livestreamId, publishingId) => {
    this.last += 1;
    const question: PlaceQuestion = { number: this.last, livestreamId, publishingId };
    return new Promise((resolve) => {
      this.open.set(question.number, resolve);
      process.send?.(question);
    });
  };

  answered({ number, place }: PlaceWord): void {
    this.open.get(number)?.(place ?? undefined);
    this.open.delete(number);
  }
}
