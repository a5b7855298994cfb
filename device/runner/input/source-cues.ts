/** Carries the cues of a source: learns where they are, reads them beside its frames, and gives them to the stream at their time. */
import type { RunSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { CueLeads, CueReader, inputFacts, type ReadCue } from '../../media/scte35/cue-reader.ts';
import { decodeSplice, spliceTicks } from '../../media/scte35/scte35.ts';
import type { SourceTimes } from '../../media/mpeg-ts/source-times.ts';
import { cueOutput } from '../../media/arguments/ingest-args.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { Child } from '../process/child.ts';
import type { Cues } from '../stream/cues.ts';
import type { EventLog } from '../process/event-log.ts';
import { hasSetting } from '../../../domain/types/channel-questions.ts';
import { CHANNEL_ROWS } from '../../../domain/types/channel-types.ts';

export interface CueDeps {
  spec: RunSpec;
  cues: Cues;
  events: EventLog;
}

interface OwnDeps extends CueDeps {
  isOnAir(): boolean;
}

/** It serves one source over all its connections. */
export class SourceCues {
  private readonly source: SourceSpec;
  private readonly deps: OwnDeps;
  private readonly reopen: () => void;
  /** PID of the cues; undefined as long as none has been seen. */
  private pid: number | undefined;
  private isReported = false;
  private tapped = false;
  private readonly leads = new CueLeads();

  /** `reopen` is called when the next connection has other arguments. */
  constructor(source: SourceSpec, deps: OwnDeps, reopen: () => void) {
    this.source = source;
    this.deps = deps;
    this.reopen = reopen;
  }

  get isWanted(): boolean {
    return this.deps.spec.scteMarkers && isTransportStream(this.source);
  }

  /** The option has just been turned on: cues are read from the next connection on, which begins now. Returns whether there is one. */
  begin(): boolean {
    const isNew = isTransportStream(this.source) && !this.tapped;
    if (isNew) this.reopen();
    return isNew;
  }

  /** Returns the arguments of one more output of the ingest for the cues; none as long as their PID is not known. */
  outputArgs(fd: number): string[] {
    this.tapped = this.isWanted;
    return this.isWanted && this.pid !== undefined ? cueOutput(this.pid, fd) : [];
  }

  /**
   * `outTicks` tells where an instant of this connection comes out; undefined as long as nobody knows. The returned function delivers cues
   * that had to wait for it.
   */
  connect(child: Child, fd: number, outTicks: (seconds: number) => number | undefined): () => void {
    this.tapped = this.isWanted;
    if (!this.isWanted) return () => undefined;
    let reader: CueReader | undefined;
    let waiting: ReadCue[] = [];
    const deliver = (): void => {
      const due = waiting;
      waiting = due.filter((cue) => !this.deliver(cue, outTicks(cue.seconds)));
    };
    child.onLine = (line) => {
      if (line.includes('Input #0, concat')) this.reportUntimed();
      const { startSeconds, cuePid } = inputFacts(line);
      if (startSeconds !== undefined) reader ??= new CueReader(startSeconds);
      if (cuePid === undefined || cuePid === this.pid) return;
      // ffmpeg names the first one first; another connection may find another.
      const isFirst = this.pid === undefined;
      this.pid = cuePid;
      if (isFirst) this.reopen();
    };
    child.output(fd)?.on('data', (chunk: Buffer) => {
      if (reader === undefined) return;
      waiting.push(...reader.push(chunk));
      deliver();
    });
    return deliver;
  }

  /** The next connection is read in this process, where all cues are seen whether they are wanted or not. */
  readHere(): void {
    this.tapped = true;
  }

  /** Takes a cue that came between packets of this process, whose times are those of the source's clock. */
  take(section: Buffer, times: Pick<SourceTimes, 'ticksAt' | 'newest'>): void {
    const { info } = this.isWanted && this.deps.isOnAir() ? decodeSplice(section) : {};
    if (info === undefined) return;
    const sourceTicks = spliceTicks(info);
    const [newest, own] = [times.newest, times.ticksAt(sourceTicks ?? 0)].map((ticks) => ticks / TICKS_PER_SECOND);
    const seconds = sourceTicks === undefined ? newest! : this.leads.timeOf(section, newest!, own!);
    this.deps.cues.passOn(section, sourceTicks, Math.round(seconds * TICKS_PER_SECOND));
  }

  /** Returns whether the cue is done with. Cues of a source that is not on air are dropped. */
  private deliver(cue: ReadCue, ticks: number | undefined): boolean {
    if (ticks === undefined) return false;
    if (this.deps.spec.scteMarkers && this.deps.isOnAir())
      this.deps.cues.passOn(cue.section, cue.sourceTicks, Math.round(ticks));
    return true;
  }

  /** ffmpeg begins the time of a list anew, and tells nobody where. */
  private reportUntimed(): void {
    if (this.isReported) return;
    this.isReported = true;
    this.deps.events.add(
      'runtime_changed',
      'warning',
      `Cues of Channel "${this.source.name}" are not carried: it is opened with a secret, and the time of what is opened that way is not known.`,
      { change: 'cue', channelId: this.source.channelId },
    );
  }
}

/** Files, datagrams, SRT peers and the segments of playlists can hold cues. */
function isTransportStream({ type, path, settings }: SourceSpec): boolean {
  const { transportStream } = CHANNEL_ROWS[type];
  if (transportStream !== 'by name') return transportStream === 'always';
  if (!hasSetting(type, 'url')) return /\.(?:ts|m2ts|mts)$/iu.test(path ?? '');
  const { protocol, pathname } = new URL(settings.url!);
  if (protocol === 'udp:' || protocol === 'rtp:' || protocol === 'rist:') return true;
  return protocol.startsWith('http') && /(?:\.(?:ts|m2ts|mts|m3u8?)|\/[^./]*)$/iu.test(pathname);
}

/**
 * Ticks at which `seconds` of a connection's raw frames come out: `framesOut` have left, the last of them as the frame that ends at
 * `frontTicks`.
 */
export function rawTicks(
  seconds: number,
  framesOut: number,
  fps: number,
  frontTicks: number | undefined,
): number | undefined {
  if (framesOut === 0 || frontTicks === undefined) return undefined;
  return frontTicks + (seconds - framesOut / fps) * TICKS_PER_SECOND;
}
