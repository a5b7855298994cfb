/** A receiver of datagrams that notes when it could show the first picture: tables have come, and all of a keyframe behind them. */
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { hasPayload, isRandomAccess, PACKET_BYTES, pidOf, startsUnit } from '../device/media/mpeg-ts/mpeg-ts.ts';
import { parsePat, parsePmt } from '../device/media/mpeg-ts/psi.ts';

/** `stream_type` of H.264 (ISO/IEC 13818-1 table 2-34). */
const H264 = 0x1b;

export interface Receiver {
  /** Resolves with the instant (Date.now()) at which the first picture after this call is whole. */
  firstFrame(): Promise<number>;
  close(): void;
}

export async function receiver(port: number): Promise<Receiver> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  return {
    firstFrame: () =>
      new Promise((resolve, reject) => {
        const seen = new Joiner();
        const take = (datagram: Buffer): void => {
          if (!seen.isWhole(datagram)) return;
          const at = Date.now();
          socket.off('message', take);
          try {
            seen.assertDecodes();
            resolve(at);
          } catch (error) {
            reject(error as Error);
          }
        };
        socket.on('message', take);
      }),
    close: () => socket.close(),
  };
}

/** What a receiver knows that joins a transport stream at any packet. */
class Joiner {
  private readonly kept: Buffer[] = [];
  private maps: number[] = [];
  private picture: number | undefined;
  private hasKeyframe = false;

  /** Whether the begin of the next picture has come with these packets. */
  isWhole(datagram: Buffer): boolean {
    this.kept.push(datagram);
    for (let at = 0; at + PACKET_BYTES <= datagram.length; at += PACKET_BYTES) {
      const pid = pidOf(datagram, at);
      if (pid === 0) this.maps = parsePat(datagram, at) ?? this.maps;
      else if (this.maps.includes(pid)) this.picture ??= parsePmt(datagram, at)?.find(({ type }) => type === H264)?.pid;
      if (pid !== this.picture || !startsUnit(datagram, at) || !hasPayload(datagram, at)) continue;
      if (this.hasKeyframe) return true;
      this.hasKeyframe = isRandomAccess(datagram, at);
    }
    return false;
  }

  /** By a decoder: one picture comes out of what was received. Throws when none does. */
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
    const frames = execFileSync('ffmpeg', args, { input: Buffer.concat(this.kept), encoding: 'utf8' });
    if (!/^0,/mu.test(frames)) throw new Error('No picture can be decoded from what was received.');
  }
}
