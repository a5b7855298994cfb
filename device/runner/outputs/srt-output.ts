/** SRT: one rendition to one peer. Passphrase and stream id go by a private file that lives until ffmpeg has read it. */
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
import { hasUdpPort } from '../process/child-sockets.ts';
import type { Attempt, AttemptHooks } from './destination-path.ts';
import type { FanOut } from '../stream/fan-out.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { viewStreams } from '../stream/program-view.ts';
import { Publisher } from './publisher.ts';
import { TransportView } from '../stream/transport-view.ts';

export interface SrtOptions {
  name: string;
  url: string;
  /** Of the host in `url`, once it was checked. */
  address?: string;
  streamKey: string | null;
  srt: SrtSettings;
  rendition: RenditionPlan;
  presetFile: string;
}

/** Throws TypeError for an address that no attempt could deliver to. */
export function beginSrt(options: SrtOptions, children: ChildProcesses, fanOut: FanOut, hooks: AttemptHooks): Attempt {
  const given = srtTarget(options.url, options.streamKey, options.srt);
  const target = options.address === undefined ? given : atAddress(given, options.address);
  const open = (own: AttemptHooks): Publisher => openPublisher(options, target, children, fanOut, own);
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
  fanOut: FanOut,
  hooks: AttemptHooks,
): Publisher {
  writeFileSync(presetFile, target.preset, { mode: 0o600 });
  const forget = (): void => rmSync(presetFile, { force: true });
  const plan = {
    name,
    args: srtArgs(target, presetFile),
    access: { reads: [presetFile] },
    streams: viewStreams(rendition),
    openView: (out: (bytes: Buffer) => void) => new TransportView(viewStreams(rendition), fanOut.streams, out),
    // ffmpeg has the peer's agreement before it writes the first byte. Packets that every receiver throws away ask for that agreement.
    primer: NULL_DATAGRAM,
    isProven: ({ totalBytes }: { totalBytes: number }): boolean => totalBytes > 0,
    explain: (words: string): string | undefined => srtReason(words, target.peer),
    isRefusal: (words: string): boolean => sourceReason(words)?.isRefusal === true,
    awaitsPeer: target.mode === 'listener',
    onUp: forget,
    onGone: forget,
  };
  return new Publisher(plan, children, fanOut, hooks);
}

const LOOK_MS = 100;
/** ffmpeg starts in 0.1 to 0.5 s, on a busy machine in 2 s. */
const OPEN_MS = 8000;

/**
 * Is up as soon as its port is open, for a player can come from then on. ffmpeg serves one caller and ends with it: the port is then
 * opened again, which is no failure and costs no attempt.
 */
class SrtListener implements Attempt {
  private readonly port: number;
  private readonly open: (hooks: AttemptHooks) => Publisher;
  private readonly presetFile: string;
  private readonly hooks: AttemptHooks;
  private publisher: Publisher;
  private timer: NodeJS.Timeout | undefined;
  private openedAt = 0;
  private listens = false;
  private served = false;
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

  private listen(): Publisher {
    this.listens = false;
    this.served = false;
    this.openedAt = performance.now();
    this.later(() => this.look());
    return this.open({
      onUp: () => (this.served = true),
      onDown: (reason, final) => void this.closed(reason, final),
    });
  }

  private later(task: () => Promise<void>): void {
    this.timer = setTimeout(() => void task(), LOOK_MS);
  }

  private async look(): Promise<void> {
    const { pid } = this.publisher;
    const isOpen = pid !== undefined && (await hasUdpPort(pid, this.port));
    if (this.over || this.listens) return;
    if (isOpen) {
      this.listens = true;
      // ffmpeg reads its options before it opens the port.
      rmSync(this.presetFile, { force: true });
      this.hooks.onUp();
    } else if (performance.now() - this.openedAt < OPEN_MS) this.later(() => this.look());
    else this.fail(`UDP port ${this.port} was not opened within ${OPEN_MS / 1000} s.`);
  }

  private async closed(reason: string, final?: boolean): Promise<void> {
    if (this.over) return;
    clearTimeout(this.timer);
    if (!this.served) return this.fail(reason, final);
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
