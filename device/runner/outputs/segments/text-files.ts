/**
 * The files of the text tracks of one Destination: a folder a track and form, a file a segment of the video. A track that begins late has
 * empty files for the segments that are listed already, so that its list is as long as that of the video.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../../atomic-file.ts';
import type { CaptionChannel } from '../../../media/captions/cc-channels.ts';
import { textFolder } from '../../../media/manifests/caption-announcement.ts';
import type { TextSegments } from '../../../media/webvtt/text-segments.ts';
import type { Cue } from '../../../media/webvtt/cue.ts';
import { webvttSegment } from '../../../media/webvtt/webvtt-segment.ts';
import { wvttInit, wvttSegment } from '../../../media/webvtt/wvtt.ts';

/** A segment of the video: its number and its time in ticks. */
export interface TextSpan {
  sequence: number;
  fromTicks: number;
  toTicks: number;
}

export interface TextFileOptions {
  dir: string;
  /** End of the names of all files of a run. */
  suffix: string;
  forms: readonly ('vtt' | 'mp4')[];
  texts: TextSegments;
  /** Tracks of the runner before. */
  earlier: readonly CaptionChannel[];
}

export class TextFiles {
  private readonly options: TextFileOptions;
  /** Tracks in the order in which they began. */
  readonly channels: CaptionChannel[];

  constructor(options: TextFileOptions) {
    this.options = options;
    this.channels = [...options.earlier];
    for (const channel of this.channels) this.makeFolders(channel);
  }

  /** Writes the segment of every track; `listed` are the segments before it. */
  write(span: TextSpan, listed: readonly TextSpan[]): void {
    const { texts } = this.options;
    for (const channel of texts.channels.filter((one) => !this.channels.includes(one))) {
      this.makeFolders(channel);
      for (const former of listed) this.writeFiles(channel, former, []);
      this.channels.push(channel);
    }
    for (const channel of this.channels)
      this.writeFiles(channel, span, texts.cues(channel, span.fromTicks, span.toTicks));
  }

  /** Removes segments that are older than `oldest`, or were not listed by a runner that was killed. */
  keep(oldest: number, next: number): void {
    for (const [dir] of this.channels.flatMap((channel) => this.foldersOf(channel)))
      for (const name of readdirSync(dir)) {
        const sequence = Number.parseInt(name, 10);
        if (name.endsWith('.tmp') || sequence < oldest || sequence >= next) rmSync(join(dir, name), { force: true });
      }
  }

  writePlaylist(channel: CaptionChannel, text: string): void {
    writeAtomic(join(this.options.dir, textFolder(channel, 'vtt'), 'index.m3u8'), text);
  }

  private foldersOf(channel: CaptionChannel): [dir: string, form: 'vtt' | 'mp4'][] {
    return this.options.forms.map((form) => [join(this.options.dir, textFolder(channel, form)), form]);
  }

  private makeFolders(channel: CaptionChannel): void {
    for (const [dir, form] of this.foldersOf(channel)) {
      mkdirSync(dir, { recursive: true });
      const init = join(dir, `init${this.options.suffix}.mp4`);
      if (form === 'mp4' && !existsSync(init)) writeAtomic(init, wvttInit());
    }
  }

  private writeFiles(channel: CaptionChannel, { sequence, fromTicks, toTicks }: TextSpan, cues: readonly Cue[]): void {
    for (const [dir, form] of this.foldersOf(channel)) {
      const name = join(dir, `${sequence}${this.options.suffix}.${form === 'vtt' ? 'vtt' : 'm4s'}`);
      const [from, to] = [Math.round(fromTicks), Math.round(toTicks)];
      writeAtomic(name, form === 'vtt' ? webvttSegment(from, cues) : wvttSegment(sequence + 1, from, to, cues));
    }
  }
}
