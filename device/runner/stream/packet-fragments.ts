/** Tracks of the fan-out as fragments of MP4, made in this process: for Destinations that would else need an ffmpeg to pack them. */
import type { SoundLabel } from '../../media/fmp4/track-init.ts';
import { FragmentWriter } from '../../media/units/fragment-writer.ts';
import type { Announced } from '../../media/units/sound-samples.ts';
import { NotRead } from '../../media/units/track.ts';
import type { FanOut, PacketRun, PacketSink } from './fan-out.ts';
import type { FragmentSink } from './fragment-bus.ts';

export interface PackedTrack {
  pid: number;
  isVideo: boolean;
  label?: SoundLabel | undefined;
}

export interface PackedSink extends FragmentSink {
  /** All has been given of the format that ends: initialisations of another follow. */
  begins?(): void;
  /** Nothing more comes: ffmpeg has to pack these tracks. `why` is half a sentence. */
  onUnfit(why: string): void;
}

export interface PackedForm {
  /** Seconds that a fragment of pictures lasts at most, and one of sound; 0: it has one unit. */
  videoSeconds: number;
  audioSeconds: number;
  toleratesDelay: boolean;
}

/** The first of the tracks leads: the others begin with it, and pictures with a keyframe. */
export class PacketFragments implements PacketSink {
  private readonly tracks: readonly PackedTrack[];
  private readonly form: PackedForm;
  private readonly packets: FanOut;
  private readonly sink: PackedSink;
  private writers = new Map<number, FragmentWriter>();
  private isOver = false;
  readonly toleratesDelay: boolean;

  constructor(tracks: readonly PackedTrack[], form: PackedForm, packets: FanOut, sink: PackedSink) {
    this.tracks = tracks;
    this.form = form;
    this.packets = packets;
    this.sink = sink;
    this.toleratesDelay = form.toleratesDelay;
  }

  /** Calls the sink at once with what is kept for a joiner. */
  start(): void {
    this.packets.attach(this);
  }

  write(run: PacketRun): void {
    const track = this.tracks.find(({ pid }) => pid === run.pid);
    if (track === undefined || this.isOver) return;
    const writer = this.writers.get(run.pid) ?? this.open(track, run.key);
    if (writer !== undefined) this.give(run.pid, () => writer.push(run));
  }

  flush(): void {
    // Fragments leave when they are whole.
  }

  begins(): void {
    if (this.isOver) return;
    this.finish();
    this.sink.begins?.();
  }

  /** Gives all that has come, and nothing more. */
  end(): void {
    if (!this.isOver) this.finish();
    this.stop();
  }

  stop(): void {
    this.isOver = true;
    this.packets.detach(this);
  }

  private open({ pid, isVideo, label }: PackedTrack, isKey: boolean): FragmentWriter | undefined {
    const leader = this.tracks[0]!.pid;
    if (!isKey || (pid !== leader && !this.writers.has(leader))) return undefined;
    const announced = (): Announced | undefined => this.packets.streams.get(pid);
    const maxSeconds = isVideo ? this.form.videoSeconds : this.form.audioSeconds;
    const writer = new FragmentWriter({ isVideo, announced, label, maxSeconds });
    this.writers.set(pid, writer);
    return writer;
  }

  private finish(): void {
    for (const [pid, writer] of this.writers) this.give(pid, () => writer.finish());
    this.writers = new Map();
  }

  private give(pid: number, write: () => ReturnType<FragmentWriter['push']>): void {
    try {
      for (const { init, fragment } of write()) {
        if (this.isOver) return;
        if (init === undefined) this.sink.fragment({ pid, fragment });
        else this.sink.init(pid, init);
      }
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
      this.stop();
      this.sink.onUnfit(error.message);
    }
  }
}
