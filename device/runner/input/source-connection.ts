/** The way to one source: its ingest, and the reader of what is pushed to this Device. A run opens it to plan itself, and then goes on with it. */
import type { Writable } from 'node:stream';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { fileFrom, measured } from '../../media/arguments/ingest-args.ts';
import { usualForm } from '../../media/arguments/pushed-input.ts';
import type { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { FilePosition } from '../stream/file-position.ts';
import { Ingest } from './ingest.ts';
import type { IngestHooks } from './ingest-hooks.ts';
import type { IngestKind } from './ingest-kinds.ts';
import { FlvSource } from '../flv/flv-source.ts';
import { HlsSource } from '../hls/hls-source.ts';
import { authorities } from '../process/certificates.ts';
import { PushFeed } from './push-feed.ts';
import { sourceOpener, type InputOpener } from './source-opener.ts';
import { playsAsset, pushOf } from '../../../domain/types/channel-questions.ts';

type ConnectionHooks = Omit<IngestHooks, 'onNeedsInput' | 'onPlaylist' | 'continues'>;

export class SourceConnection {
  private readonly children: ChildProcesses;
  private readonly source: SourceSpec;
  private readonly open: InputOpener;
  private readonly pushed: PushFeed | undefined;
  private readonly hls: HlsSource;
  private readonly flv: FlvSource;
  /** ffmpeg has found a playlist where the address does not say so. */
  private isPlaylist = false;
  private isCopied = false;
  private next: { kind: IngestKind; hooks: IngestHooks } | undefined;
  private ingest: Ingest | undefined;
  private isMeasured: boolean;
  /** Lines of the present connection's ffmpeg, for the next reader; undefined when that has other arguments. */
  lines: readonly string[] | undefined;
  /** How far a file has been played; left out: each connection begins at its beginning. */
  position: FilePosition | undefined;
  /** Hears of segments of a playlist that are left out. */
  onGap: ((why: string, segments: number) => void) | undefined;

  /** When `isMeasured` is true, ffmpeg measures the rate before it says what it has found. */
  constructor(children: ChildProcesses, deviceDir: string, source: SourceSpec, isMeasured = false) {
    this.children = children;
    this.source = source;
    this.isMeasured = isMeasured;
    const pushed = pushOf(source);
    if (pushed !== undefined) this.pushed = new PushFeed(deviceDir, source.channelId, usualForm(pushed));
    const web = {
      reach: children.network.reach,
      authorities,
      now: () => performance.timeOrigin + performance.now(),
    };
    this.flv = new FlvSource(web);
    this.hls = new HlsSource({
      ...web,
      program: source.settings.program,
      onGap: (why, segments) => this.onGap?.(why, segments),
    });
    const open = sourceOpener(source, children, {
      hls: { source: this.hls, isPlaylist: () => this.isPlaylist },
      flv: () => (this.isCopied ? this.flv : undefined),
    });
    this.open = async (signal) => {
      const opened = await open(signal);
      const input = (await this.pushed?.input(this.isCopied)) ?? opened;
      const seconds = this.position?.begin() ?? 0;
      const begun = seconds === 0 ? input : fileFrom(input, seconds);
      return this.isMeasured ? measured(begun) : begun;
    };
  }

  /** The source is this reader's from its start on. */
  take(kind: IngestKind, own: ConnectionHooks): void {
    const hooks: IngestHooks = {
      ...own,
      onNeedsInput: (input: Writable, mayWait) => this.pushed?.attach(input, kind.isOfOneFormat === true, mayWait),
      continues: () => this.pushed?.continues === true || this.flv.continues,
      onPlaylist: () => {
        const isNew = !this.isPlaylist;
        this.isPlaylist = true;
        return isNew;
      },
    };
    this.next = { kind, hooks };
    this.isCopied = kind.isOfOneFormat === true;
  }

  get pid(): number | undefined {
    return this.ingest?.pid;
  }

  get trouble(): SourceTrouble | undefined {
    return this.pushed?.trouble ?? this.hls.trouble ?? this.flv.trouble ?? this.ingest?.trouble;
  }

  start(): void {
    const { children, source, next } = this;
    this.next = undefined;
    if (next === undefined) return;
    const { kind, hooks } = next;
    if (this.ingest !== undefined) {
      this.isMeasured = false;
      return this.ingest.handOver(kind, hooks, this.lines);
    }
    const finite = playsAsset(source) && source.settings.loop === false;
    this.ingest = new Ingest({ children, name: 'ingest', openInput: this.open, kind, finite, hooks });
    this.ingest.start();
  }

  async stop(): Promise<void> {
    this.pushed?.close();
    this.hls.close();
    this.flv.close();
    await this.ingest?.stop();
  }

  /** With `forgets` the next connection may have other streams. */
  reopen(forgets = false): void {
    this.ingest?.reopen(forgets);
  }
}
