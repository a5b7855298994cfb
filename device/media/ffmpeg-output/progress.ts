/** Reads `-progress` of ffmpeg: key=value lines; a block ends with `progress=continue` or `progress=end`. */
import { LineSplitter } from './line-splitter.ts';

export interface Progress {
  frame: number;
  fps: number;
  /** Encoding speed against real time. */
  speed: number;
  droppedFrames: number;
  totalBytes: number;
  /** Media time written, in seconds. */
  outSeconds: number;
}

function number(text: string | undefined): number {
  const value = Number.parseFloat(text ?? '');
  return Number.isFinite(value) ? value : 0;
}

export class ProgressReader {
  private block = new Map<string, string>();
  private readonly lines: LineSplitter;

  constructor(onProgress: (progress: Progress) => void) {
    this.lines = new LineSplitter((line) => {
      const at = line.indexOf('=');
      if (at < 0) return;
      const key = line.slice(0, at);
      this.block.set(key, line.slice(at + 1).trim());
      if (key !== 'progress') return;
      onProgress(this.read());
      this.block = new Map();
    });
  }

  push(chunk: Buffer): void {
    this.lines.push(chunk);
  }

  private read(): Progress {
    const { block } = this;
    return {
      frame: number(block.get('frame')),
      fps: number(block.get('fps')),
      speed: number(block.get('speed')),
      droppedFrames: number(block.get('drop_frames')),
      totalBytes: number(block.get('total_size')),
      outSeconds: number(block.get('out_time_us')) / 1e6,
    };
  }
}
