/** SRT: one rendition to one peer. Passphrase and stream id are in a private file that is removed once media arrive there, or the attempt has ended. */
import { rmSync, writeFileSync } from 'node:fs';
import { NULL_DATAGRAM } from '../../media/mpeg-ts/datagrams.ts';
import {
  srtArgs,
  srtReason,
  srtTarget,
  type SrtOptions as SrtSettings,
  type SrtTarget,
} from '../../media/arguments/srt-args.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { sourceReason } from '../../media/ffmpeg-output/source-reason.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { hasUdpPort } from '../process/child-sockets.ts';
import type { PacketSource } from '../stream/fan-out.ts';
import { viewStreams } from '../stream/program-view.ts';
import { TransportView } from '../stream/transport-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { Publisher } from './publisher.ts';

export interface SrtOptions {
  name: string;
  url: string;
  /** The address that the host of `url` was resolved to and that was checked; it takes the host's place. */
  address?: string;
  streamKey: string | null;
  srt: SrtSettings;
  rendition: RenditionPlan;
  presetFile: string;
}

/** Throws TypeError for an address that no attempt could deliver to. */
export function beginSrt(
  options: SrtOptions,
  children: ChildProcesses,
  packets: PacketSource,
  hooks: AttemptHooks,
): Attempt {
  const configured = srtTarget(options.url, options.streamKey, options.srt);
  const target = options.address === undefined ? configured : atAddress(configured, options.address);
  const open = (own: AttemptHooks): Publisher => openPublisher(options, target, children, packets, own);
  return target.mode === 'listener' ? new SrtListener(target, open, options.presetFile, hooks) : open(hooks);
}

function atAddress(target: SrtTarget, address: string): SrtTarget {
  const host = address.includes(':') ? `[${address}]` : address;
  return { ...target, url: target.url.replace(/^srt:\/\/[^?]*/u, `srt://${host}:${target.port}`) };
}

function openPublisher(
  { name, rendition, presetFile }: SrtOptions,
  target: SrtTarget,
  children: ChildProcesses,
  packets: PacketSource,
  hooks: AttemptHooks,
): Publisher {
  writeFileSync(presetFile, target.preset, { mode: 0o600 });
  const forget = (): void => rmSync(presetFile, { force: true });
  const plan = {
    name,
    args: srtArgs(target, presetFile),
    access: { reads: [presetFile] },
    streams: viewStreams(rendition),
    openView: (out: (bytes: Buffer) => void) => new TransportView(viewStreams(rendition), packets.streams, out),
    // ffmpeg has the peer's agreement before it writes the first byte; null packets, which every receiver throws away, make it ask for that agreement.
    primer: NULL_DATAGRAM,
    isProven: ({ totalBytes }: { totalBytes: number }): boolean => totalBytes > 0,
    explain: (words: string): string | undefined => srtReason(words, target.peer),
    isRefusal: (words: string): boolean => sourceReason(words)?.isRefusal === true,
    awaitsPeer: target.mode === 'listener',
    onUp: forget,
    onGone: forget,
  };
  return new Publisher(plan, children, packets, hooks);
}

const PORT_CHECK_MS = 100;
/** ffmpeg starts in 0.1 to 0.5 s, on a busy machine in 2 s; one that has not opened its port by then has hung. */
const OPEN_MS = 8000;

/**
 * A listener is up as soon as its port is open, for a player can come from then on. ffmpeg serves one caller and ends with it: the port is
 * then opened again, which is no failure and costs no attempt.
 */
class SrtListener implements Attempt {
  private readonly port: number;
  private readonly open: (hooks: AttemptHooks) => Publisher;
  private readonly presetFile: string;
  private readonly hooks: AttemptHooks;
  private publisher: Publisher;
  private timer: NodeJS.Timeout | undefined;
  private openedAt = 0;
  private isListening = false;
  private hasServed = false;
  private over = false;

  constructor(target: SrtTarget, open: (hooks: AttemptHooks) => Publisher, presetFile: string, hooks: AttemptHooks) {
    this.port = target.port;
    this.open = open;
    this.presetFile = presetFile;
    this.hooks = hooks;
    this.publisher = this.listen();
  }

  async end(): Promise<void> {
    this.over = true;
    clearTimeout(this.timer);
    await this.publisher.end();
  }

  cut(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.publisher.cut();
  }

  private listen(): Publisher {
    this.isListening = false;
    this.hasServed = false;
    this.openedAt = performance.now();
    this.later(() => this.checkPort());
    return this.open({
      onUp: () => (this.hasServed = true),
      onDown: (reason, final) => void this.onClosed(reason, final),
    });
  }

  private later(task: () => Promise<void>): void {
    this.timer = setTimeout(() => void task(), PORT_CHECK_MS);
  }

  private async checkPort(): Promise<void> {
    const { pid } = this.publisher;
    const isOpen = pid !== undefined && (await hasUdpPort(pid, this.port));
    if (this.over || this.isListening) return;
    if (isOpen) {
      this.isListening = true;
      // ffmpeg reads its options before it opens the port.
      rmSync(this.presetFile, { force: true });
      this.hooks.onUp();
    } else if (performance.now() - this.openedAt < OPEN_MS) this.later(() => this.checkPort());
    else this.fail(`UDP port ${this.port} was not opened within ${OPEN_MS / 1000} s.`);
  }

  private async onClosed(reason: string, final?: boolean): Promise<void> {
    if (this.over) return;
    clearTimeout(this.timer);
    if (!this.hasServed) return this.fail(reason, final);
    await this.publisher.end();
    if (this.over) return;
    try {
      this.publisher = this.listen();
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  private fail(reason: string, final?: boolean): void {
    this.over = true;
    this.hooks.onDown(reason, final);
  }
}
