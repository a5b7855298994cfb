/** Gives the media of a pushed source to each ffmpeg of its ingest, from the process that has received it (device/push/). */
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { IngestReport } from '../../../domain/shapes/sources/ingest.ts';
import type { PushedForm } from '../../media/arguments/input-feed.ts';
import { formOf, pushedInput } from '../../media/arguments/pushed-input.ts';
import type { IngestInput } from '../../media/arguments/ingest-args.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { AT_ONCE, IN_TURNS } from '../../push/paced-turns.ts';
import { pushedReport, readPushed } from '../../push/push-reader.ts';

/** A push process that was killed is there again within 2 s. */
const AGAIN_MS = 100;
const LOOK_MS = 1000;
/** All readers of this process read into it: what is read is taken at once, or copied. */
const buffer = Buffer.allocUnsafeSlow(65_536);
/** Codecs of Enhanced RTMP that MPEG-TS has no place for in ffmpeg 5.1. */
const NOT_COPIED: Readonly<Record<string, string>> = { av1: 'AV1', vp9: 'VP9', vp8: 'VP8' };

export class PushFeed {
  private readonly deviceDir: string;
  private readonly channelId: number;
  private reader: Socket | undefined;
  /** stdin of the ingest's ffmpeg. */
  private sink: Writable | undefined;
  private again: NodeJS.Timeout | undefined;
  private look: NodeJS.Timeout | undefined;
  private hasMedia = false;
  private mayWait: (() => boolean) | undefined;
  /** The reader gets its media in turns. */
  private isInTurns = false;
  /** The ffmpeg that reads was started for the form of what came last. */
  private form: PushedForm;
  /** The reader was ended, and the encoder sends on: another ffmpeg gets media at once. */
  continues = false;
  /** The reason why nothing comes; undefined while something does. */
  trouble: SourceTrouble | undefined;

  constructor(deviceDir: string, channelId: number, usual: PushedForm) {
    this.deviceDir = deviceDir;
    this.channelId = channelId;
    this.form = usual;
  }

  /** For the next ffmpeg. Rejects with SourceTrouble when what is pushed cannot be copied. */
  async input(isCopied: boolean): Promise<IngestInput> {
    if (isCopied) assertCopied(await pushedReport(this.deviceDir, this.channelId));
    return pushedInput(this.form);
  }

  /** A new ffmpeg, or a reader of this process, which has a `mayWait`: it gets the media from the last keyframe on, or waits for the next pusher. */
  attach(sink: Writable, ofOneFormat: boolean, mayWait?: () => boolean): void {
    this.detach();
    this.mayWait = mayWait;
    this.continues = false;
    this.sink = sink;
    this.hasMedia = false;
    sink.on('drain', () => sink === this.sink && this.reader?.resume());
    sink.once('close', () => {
      if (sink === this.sink) this.detach();
    });
    this.look = setInterval(() => void this.askWhy(sink), LOOK_MS);
    void this.askWhy(sink);
    this.read(sink, ofOneFormat);
  }

  close(): void {
    this.detach();
  }

  private detach(): void {
    this.sink = undefined;
    clearTimeout(this.again);
    clearInterval(this.look);
    this.reader?.destroy();
  }

  private read(sink: Writable, ofOneFormat: boolean): void {
    const callback = (length: number): true => {
      if (sink === this.sink) this.give(buffer.subarray(0, length), sink, reader);
      return true;
    };
    const reader = readPushed(this.deviceDir, this.channelId, ofOneFormat, { buffer, callback });
    this.reader = reader;
    this.isInTurns = false;
    // The close event follows.
    reader.on('error', () => undefined);
    reader.once('close', () => {
      if (sink !== this.sink) return;
      // The end of the pusher is the end of this ffmpeg; the next one waits for the next pusher.
      if (this.hasMedia) void this.finish(sink);
      else this.again = setTimeout(() => this.read(sink, ofOneFormat), AGAIN_MS);
    });
  }

  private give(bytes: Buffer, sink: Writable, reader: Socket): void {
    if (!this.hasMedia && formOf(bytes) !== this.form) return this.changeForm(formOf(bytes), sink);
    if (!this.hasMedia) clearInterval(this.look);
    this.hasMedia = true;
    this.trouble = undefined;
    const isTaken = this.mayWait !== undefined && this.form === 'flv';
    if (!sink.write(isTaken ? bytes : Buffer.from(bytes))) reader.pause();
    this.setPace(reader);
  }

  private setPace(reader: Socket): void {
    const mayWait = this.mayWait?.() === true;
    if (mayWait === this.isInTurns || reader.destroyed) return;
    this.isInTurns = mayWait;
    reader.write(mayWait ? IN_TURNS : AT_ONCE);
  }

  /** An ffmpeg takes one container: the next one gets what has come. */
  private changeForm(form: PushedForm, sink: Writable): void {
    this.form = form;
    this.continues = true;
    this.detach();
    sink.end();
  }

  private async finish(sink: Writable): Promise<void> {
    const report = await pushedReport(this.deviceDir, this.channelId);
    if (sink === this.sink) this.continues = report?.state === 'receiving';
    sink.end();
  }

  private async askWhy(sink: Writable): Promise<void> {
    const report = await pushedReport(this.deviceDir, this.channelId);
    if (sink === this.sink && !this.hasMedia) this.trouble = troubleOf(report);
  }
}

/** ffmpeg would put them into the transport stream of a copy as data of no codec. */
function assertCopied(report: IngestReport | undefined): void {
  const name = NOT_COPIED[report?.video?.codec ?? ''];
  if (name === undefined) return;
  const why = `it sends ${name}, which a copy cannot carry; use an Encoding with h264 or hevc, or set the encoder to H.264 or HEVC`;
  throw new SourceTrouble(why, undefined, why, true);
}

function troubleOf(report: IngestReport | undefined): SourceTrouble | undefined {
  if (report === undefined) return new SourceTrouble('this Device does not listen for its encoder yet');
  if (report.state === 'receiving') return undefined;
  if (report.state === 'failed') return new SourceTrouble(report.error ?? 'its listener has failed');
  const { last_refusal: refusal } = report;
  const refused = refusal === null ? '' : `; the last one, at ${refusal.from}, was refused: ${refusal.message}`;
  return new SourceTrouble(`no encoder sends to it${refused}`);
}
