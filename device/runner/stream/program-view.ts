/** Some tracks of the fan-out as a transport stream of their own: one program, tables in front, beginning with a keyframe. */
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { ProgramTables } from '../../media/mpeg-ts/psi.ts';
import type { ElementaryStream } from '../../media/mpeg-ts/psi.ts';
import { METADATA_DESCRIPTORS, METADATA_STREAMS } from '../../media/mpeg-ts/ts-metadata.ts';
import type { PacketRun, PacketSink } from './fan-out.ts';

export interface ViewStreams {
  videos: number[];
  audios: number[];
  /** Cues and ID3 are announced and carried, and tables come often: receivers get this transport stream as it is. */
  metadata?: boolean;
}

/** The tracks of one rendition. */
export function viewStreams({ video, audios }: Pick<RenditionPlan, 'video' | 'audios'>): ViewStreams {
  return { videos: video === undefined ? [] : [video.pid], audios: audios.map(({ pid }) => pid) };
}

/** The tracks of one rendition for those who take one audio track. */
export function singleStreams({ video, audio }: RenditionPlan): ViewStreams {
  return viewStreams({ video, audios: audio === undefined ? [] : [audio] });
}

/** ETSI TR 101 290 §5.2.1 allows 500 ms; a receiver that joins waits for tables before anything else. Units come every 21 to 100 ms. */
const TABLES_TICKS = 0.1 * TICKS_PER_SECOND;

export class ProgramView implements PacketSink {
  private readonly videos: Set<number>;
  private readonly pids: number[];
  private readonly leader: number;
  private readonly streams: ReadonlyMap<number, ElementaryStream>;
  private readonly metadata: boolean;
  private readonly out: (bytes: Buffer) => void;
  private readonly open = new Set<number>();
  private pending: Buffer[] = [];
  private readonly tables = new ProgramTables();
  private tablesAt: number | undefined;
  private leaderKeys = 0;
  readonly toleratesDelay: boolean;

  constructor(
    { videos, audios, metadata = false }: ViewStreams,
    streams: ReadonlyMap<number, ElementaryStream>,
    out: (bytes: Buffer) => void,
    toleratesDelay = false,
  ) {
    this.videos = new Set(videos);
    this.pids = [...new Set([...videos, ...audios])];
    this.leader = this.pids[0]!;
    this.streams = streams;
    this.metadata = metadata;
    this.out = out;
    this.toleratesDelay = toleratesDelay;
  }

  write(run: PacketRun): void {
    const { pid, key, bytes, pts } = run;
    if (run.metadata === true && this.metadata && this.open.has(this.leader)) this.pending.push(bytes);
    if (!this.pids.includes(pid)) return;
    if (!this.open.has(pid) && !this.opens(run)) return;
    if ((pid === this.leader && key) || this.areTablesLate(pts)) this.pending.push(...this.tablePackets(pts));
    this.pending.push(bytes);
  }

  /** The receiver has what comes before, and the next run of each track begins a unit. */
  join(pts: number | undefined): void {
    for (const pid of this.pids) this.open.add(pid);
    this.pending.push(...this.tablePackets(pts));
  }

  private areTablesLate(pts: number | undefined): boolean {
    if (!this.metadata || pts === undefined || this.tablesAt === undefined) return false;
    return Math.abs(pts - this.tablesAt) >= TABLES_TICKS;
  }

  flush(): void {
    if (this.pending.length === 0) return;
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    this.out(bytes);
  }

  /** Video begins with a keyframe, audio with the leader: nothing that cannot be decoded is sent. */
  private opens({ pid, key }: PacketRun): boolean {
    if (!key || (pid !== this.leader && !this.open.has(this.leader))) return false;
    this.open.add(pid);
    return true;
  }

  private tablePackets(pts: number | undefined): Buffer[] {
    const unit = this.leaderKeys++;
    // Every unit of audio is a key; tables about once a second are plenty there.
    if (!this.metadata && !this.videos.has(this.leader) && unit % 40 !== 0) return [];
    this.tablesAt = pts;
    const listed = this.pids.flatMap((pid) => this.streams.get(pid) ?? []);
    return this.metadata
      ? this.tables.next([...listed, ...METADATA_STREAMS], this.leader, METADATA_DESCRIPTORS)
      : this.tables.next(listed, this.leader);
  }
}
