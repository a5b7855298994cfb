/** Someone who watches a broadcast of counted pictures: what is to be seen, and at which moment of this process it was decoded. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { HEIGHT, level, readNumber, WIDTH } from './counted.ts';
import { until } from './until.ts';

const BYTES = WIDTH * HEIGHT;

export interface Seen {
  /** performance.now() */
  at: number;
  /** The size of a counted picture. */
  number: number | undefined;
  /** Not the slate: that has bars, which are brighter. */
  black: boolean;
  slate: boolean;
  /** Something bright at the bottom: on the left a logo, in the middle a text. */
  logo: boolean;
  text: boolean;
}

export class Viewer {
  readonly seen: Seen[] = [];
  private readonly url: string;
  private child!: ChildProcess;
  private closed = false;
  private part = Buffer.alloc(0);

  constructor(url: string) {
    this.url = url;
    this.watch();
  }

  /** As players do, again when there was nothing to see yet. */
  private watch(): void {
    const quick = ['-fflags', 'nobuffer', '-flags', 'low_delay', '-threads', '1', '-analyzeduration', '500000'];
    const grey = ['-map', '0:v:0', '-fps_mode', 'passthrough', '-vf', `scale=${WIDTH}:${HEIGHT},format=gray`];
    const args = ['-nostdin', '-v', 'quiet', ...quick, '-i', this.url, ...grey, '-f', 'rawvideo', '-'];
    this.child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    this.part = Buffer.alloc(0);
    this.child.stdout!.on('data', (chunk: Buffer) => this.take(chunk));
    this.child.once('exit', () => setTimeout(() => this.closed || this.watch(), 100));
  }

  /** The first picture after the moment `since` that is as asked. */
  first(what: string, since: number, isIt: (seen: Seen) => boolean): Promise<Seen> {
    return until(what, () => this.seen.find((seen) => seen.at >= since && isIt(seen)));
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  private take(chunk: Buffer): void {
    this.part = Buffer.concat([this.part, chunk]);
    while (this.part.length >= BYTES) {
      this.seen.push(look(this.part.subarray(0, BYTES)));
      this.part = this.part.subarray(BYTES);
    }
  }
}

function look(frame: Buffer): Seen {
  const number = readNumber(frame);
  let sum = 0;
  let most = 0;
  for (const pixel of frame) {
    sum += pixel;
    most = Math.max(most, pixel);
  }
  return {
    at: performance.now(),
    number,
    black: most < 40,
    slate: number === undefined && most >= 40 && sum / BYTES < 50,
    logo: level(frame, 30, 150) > 150,
    text: brightest(frame, 110, 140, 210, 178) > 200,
  };
}

function brightest(frame: Buffer, left: number, top: number, right: number, bottom: number): number {
  let most = 0;
  for (let y = top; y < bottom; y += 1) most = Math.max(most, ...frame.subarray(y * WIDTH + left, y * WIDTH + right));
  return most;
}
