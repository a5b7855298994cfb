/** A receiver of datagrams notes when it could show the first frame: tables have come, and all of a keyframe behind them. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { setTimeout as delay } from 'node:timers/promises';
import { hasPayload, isRandomAccess, PACKET_BYTES, pidOf, startsUnit } from '../../device/media/mpeg-ts/mpeg-ts.ts';
import { ProgramReader } from '../../device/media/mpeg-ts/program-reader.ts';

/** `stream_type` of H.264 (ISO/IEC 13818-1 table 2-34). */
const H264 = 0x1b;

export interface Receiver {
  /** Resolves with the instant (Date.now()) at which the first frame after this call is whole. */
  firstFrame(): Promise<number>;
  record(ms: number): Promise<Recorded>;
  close(): void;
}

export interface Recorded {
  bytes: Buffer;
  /** The instant (Date.now()) at which each picture began to come, from the first keyframe on: those that decode. */
  arrivals: number[];
}

export async function receiver(port: number): Promise<Receiver> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  socket.setRecvBufferSize(4 << 20);
  return {
    firstFrame: () =>
      new Promise((resolve, reject) => {
        const joiner = new Joiner();
        const take = (datagram: Buffer): void => {
          if (!joiner.hasFrame(datagram)) return;
          const at = Date.now();
          socket.off('message', take);
          try {
            joiner.assertDecodes();
            resolve(at);
          } catch (error) {
            reject(error as Error);
          }
        };
        socket.on('message', take);
      }),
    async record(ms) {
      const [datagrams, arrivals, stream]: [Buffer[], number[], VideoPackets] = [[], [], new VideoPackets()];
      const take = (datagram: Buffer): void => {
        const at = Date.now();
        datagrams.push(datagram);
        for (const isKeyframe of stream.pictures(datagram)) if (isKeyframe || arrivals.length > 0) arrivals.push(at);
      };
      socket.on('message', take);
      await delay(ms);
      socket.off('message', take);
      return { bytes: Buffer.concat(datagrams), arrivals };
    },
    close: () => socket.close(),
  };
}

/** Finds the beginnings of pictures in a transport stream that is joined at any packet. */
class VideoPackets {
  private readonly tables = new ProgramReader();
  private videoPid: number | undefined;

  /** One value for each picture that begins in the datagram: whether it is a keyframe. */
  *pictures(datagram: Buffer): Generator<boolean> {
    for (let at = 0; at + PACKET_BYTES <= datagram.length; at += PACKET_BYTES) {
      for (const { streams } of this.tables.push(datagram, at))
        this.videoPid ??= streams?.find(({ type }) => type === H264)?.pid;
      if (pidOf(datagram, at) === this.videoPid && startsUnit(datagram, at) && hasPayload(datagram, at))
        yield isRandomAccess(datagram, at);
    }
  }
}

/** The state of a receiver that joins a transport stream at any packet. */
class Joiner {
  private readonly datagrams: Buffer[] = [];
  private readonly stream = new VideoPackets();
  private hasKeyframe = false;

  /** Takes packets; answers whether the frame after the keyframe has begun with them, which makes the keyframe whole. */
  hasFrame(datagram: Buffer): boolean {
    this.datagrams.push(datagram);
    for (const isKeyframe of this.stream.pictures(datagram)) {
      if (this.hasKeyframe) return true;
      this.hasKeyframe = isKeyframe;
    }
    return false;
  }

  /** Throws unless a decoder makes one frame of what was received. */
  assertDecodes(): void {
    const args = [
      '-v',
      'fatal',
      '-f',
      'mpegts',
      '-i',
      'pipe:0',
      '-map',
      '0:v',
      '-frames:v',
      '1',
      '-f',
      'framemd5',
      'pipe:1',
    ];
    const frames = execFileSync('ffmpeg', args, { input: Buffer.concat(this.datagrams), encoding: 'utf8' });
    if (!/^0,/mu.test(frames)) throw new Error('No picture can be decoded from what was received.');
  }
}
