/**
 * The process that answers the viewers of the control plane's port. Connections are handed to it as they are, so the loop that starts and
 * stops broadcasts moves none of their bytes. The first viewer starts it; while it is not there, the control plane answers itself.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Clock } from '../../domain/time/clock.ts';
import type { DeliveryPlace } from '../../domain/shapes/destinations/playback.ts';
import type { Log } from '../../domain/base/log.ts';
import { selfCommand } from '../self-command.ts';
import { stopReading, type Take } from './first-bytes.ts';
import type { PlaceOf } from './others/other-devices.ts';

export interface MediaProcessOptions {
  /** The process gets them as JSON at its beginning. */
  settings: object;
  /** Answers a connection in this process. */
  here: Take;
  /** Takes a connection back that has asked for something else. */
  elsewhere: Take;
  /** Answers what the process asks about Destinations that other Devices may serve. */
  placeOf: PlaceOf;
  /** The process has this connection, and this one counts it no longer. */
  left(socket: Socket): void;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/** The message that goes with a connection in either direction: the bytes that were read of it, in base64. */
export interface HandedOver {
  bytes: string;
}
/** Messages without a connection: the process is ready, or it has taken a connection. */
export type MediaWord = 'ready' | 'taken';
/** The process asks where a Destination is served, and the answer. */
export interface PlaceQuestion {
  number: number;
  livestreamId: number;
  publishingId: number;
}
export interface PlaceWord {
  number: number;
  place: DeliveryPlace | null;
}

/** Waiting connections take some KB each, and the process takes thousands a second. Further ones are answered here. */
const MAX_WAITING = 2500;
/** A process that takes nothing for so long hangs. */
const SILENT_MS = 10_000;
/** The pause before another start of a process that does not stay. */
const RESTART_MS = 5000;

export class MediaProcess {
  private readonly options: MediaProcessOptions;
  private readonly waiting: { socket: Socket; bytes: Buffer }[] = [];
  private child: ChildProcess | undefined;
  private isReady = false;
  private isTaking = false;
  private mayStart = true;
  private isClosed = false;
  private cancelWatch: () => void = () => undefined;

  constructor(options: MediaProcessOptions) {
    this.options = options;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  readonly take: Take = (socket, bytes) => {
    if (this.child === undefined) this.start();
    if (!this.isReady || this.waiting.length >= MAX_WAITING) return this.options.here(socket, bytes);
    this.waiting.push({ socket, bytes });
    this.handOver();
  };

  close(): void {
    this.isClosed = true;
    this.child?.kill('SIGKILL');
  }

  private start(): void {
    if (!this.mayStart || this.isClosed) return;
    this.mayStart = false;
    const { settings, elsewhere, clock, log } = this.options;
    clock.after(RESTART_MS, () => (this.mayStart = true));
    const [command, args] = selfCommand('media');
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.child = child;
    child.on('message', (message: MediaWord | HandedOver | PlaceQuestion, socket) => {
      if (message === 'ready') this.isReady = true;
      else if (message === 'taken') this.taken();
      else if ('number' in message) void this.answer(child, message);
      else if (socket !== undefined) elsewhere(socket as Socket, Buffer.from(message.bytes, 'base64'));
    });
    const onGone = (how: unknown): void => {
      if (this.child !== child) return;
      if (!this.isClosed) log.warn({ how }, 'The process that answers viewers has ended; it is started again.');
      this.child = undefined;
      this.isReady = false;
      this.isTaking = false;
      this.cancelWatch();
      for (const { socket, bytes } of this.waiting.splice(0)) this.options.here(socket, bytes);
    };
    child.once('error', (error) => onGone(error.message));
    child.once('exit', (code, signal) => onGone(signal ?? code));
    // Without a free descriptor there is no channel; `error` says so.
    if (child.connected) child.send(settings);
    // It ends with this process; this process does not wait for it.
    child.unref();
    child.channel?.unref();
  }

  /** Connections are handed over one at a time: the waiting ones stay whole, and are answered here should the process end. */
  private handOver(): void {
    if (this.isTaking || this.child?.connected !== true) return;
    const next = this.waiting.shift();
    if (next === undefined) return;
    const { socket, bytes } = next;
    if (socket.destroyed) return this.handOver();
    this.isTaking = true;
    const child = this.child;
    this.cancelWatch = this.options.clock.after(SILENT_MS, () => void child.kill('SIGKILL'));
    handOver(child, socket, bytes);
    this.options.left(socket);
  }

  private async answer(child: ChildProcess, { number, livestreamId, publishingId }: PlaceQuestion): Promise<void> {
    const place = await this.options.placeOf(livestreamId, publishingId).catch(() => undefined);
    const word: PlaceWord = { number, place: place ?? null };
    if (child.connected) child.send(word, () => undefined);
  }

  private taken(): void {
    this.cancelWatch();
    this.isTaking = false;
    this.handOver();
  }
}

/** Gives a connection to the process at the other end of the channel. */
export function handOver(channel: Pick<NodeJS.Process | ChildProcess, 'send'>, socket: Socket, bytes: Buffer): void {
  stopReading(socket);
  const message: HandedOver = { bytes: bytes.toString('base64') };
  // A message that cannot be sent was for a process that is gone: its exit event says so.
  channel.send?.(message, socket, { keepOpen: false }, () => undefined);
}
