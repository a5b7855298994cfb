/**
 * The process that answers the viewers of the control plane's port. Connections are handed to it as they are: the loop that starts and
 * stops broadcasts moves none of their bytes. It is started by the first viewer; while there is none, the control plane answers itself.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/log.ts';
import { selfCommand } from '../self-command.ts';
import { stopReading, type Take } from './first-bytes.ts';

export interface MediaProcessOptions {
  /** What the process is told at its beginning, as JSON. */
  settings: object;
  /** Answers a connection here. */
  here: Take;
  /** Takes a connection back that has asked for something else. */
  elsewhere: Take;
  /** The process has this connection: it is none of ours any more. */
  left(socket: Socket): void;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/** Handed over and back: `bytes` were read of the connection, base64. */
export interface HandedOver {
  bytes: string;
}
/** What the process says without a connection: that it is there, or that it has taken one. */
export type MediaWord = 'ready' | 'taken';

/** Connections that wait for the process, some KB each; it takes thousands a second. Beyond, they are answered here. */
const MAX_WAITING = 2500;
/** A process that takes nothing for so long hangs. */
const SILENT_MS = 10_000;
/** Between two starts of a process that does not stay. */
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
    child.on('message', (message: MediaWord | HandedOver, socket) => {
      if (message === 'ready') this.isReady = true;
      else if (message === 'taken') this.taken();
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
    child.send(settings);
    // It ends with this process; this process does not wait for it.
    child.unref();
    child.channel?.unref();
  }

  /** One at a time: those that wait stay whole, and are answered here should the process end. */
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
  // What cannot be sent belongs to a process that is gone: its end is noticed elsewhere.
  channel.send?.(message, socket, { keepOpen: false }, () => undefined);
}
