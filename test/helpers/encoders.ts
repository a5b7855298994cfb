/** The encoders that are used in the field, with a clip that they send again and again at its own rate. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export const ENCODERS = ['ffmpeg RTMP', 'ffmpeg SRT', 'rtmp2sink', 'srtsink', 'srt-live-transmit'] as const;
export type EncoderName = (typeof ENCODERS)[number];

export interface Place {
  rtmpUrl: string;
  srtPort: number;
  /** A free port for the way from ffmpeg to srt-live-transmit. */
  udpPort: number;
}

export interface Encoder {
  /** The process that has the connection. */
  pid: number;
  /** It ends at once, as one that loses its power. */
  kill(): Promise<void>;
}

export function isSrt(name: EncoderName): boolean {
  return name.includes('SRT') || name.startsWith('srt');
}

/** When GStreamer sends, ffmpeg reads the clip at its own rate, and GStreamer makes the stream and the connection. */
export function startEncoder(name: EncoderName, clip: string, { rtmpUrl, srtPort, udpPort }: Place): Encoder {
  const srt = `srt://127.0.0.1:${srtPort}?mode=caller`;
  const play = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-flush_packets', '1'];
  if (name === 'ffmpeg RTMP') return encoderOf(start('ffmpeg', [...play, '-f', 'flv', rtmpUrl]));
  if (name === 'ffmpeg SRT') return encoderOf(start('ffmpeg', [...play, '-f', 'mpegts', srt]));
  if (name === 'srt-live-transmit') {
    const [from, to] = [`udp://127.0.0.1:${udpPort}`, srt];
    const sender = start('srt-live-transmit', ['-q', from, to]);
    return encoderOf(sender, start('ffmpeg', [...play, '-f', 'mpegts', `${from}?pkt_size=1316`]));
  }
  // In ffmpeg's transport stream sound comes in pieces, which no live encoder gives to its multiplexer.
  const player = start('ffmpeg', [...play, '-f', 'flv', 'pipe:1'], 'pipe');
  const sender = start('gst-launch-1.0', ['-q', ...pipeline(name, rtmpUrl, srt)], player.stdout!);
  return encoderOf(sender, player);
}

function pipeline(name: 'rtmp2sink' | 'srtsink', rtmpUrl: string, srt: string): string[] {
  const [muxer, sink] =
    name === 'rtmp2sink'
      ? ['flvmux name=mux streamable=true', `rtmp2sink sync=false location=${rtmpUrl}`]
      : ['mpegtsmux name=mux alignment=7', `srtsink sync=false uri=${srt}`];
  const text = `fdsrc fd=0 ! flvdemux name=demux ${muxer} ! ${sink} demux. ! queue ! h264parse config-interval=-1 ! mux. demux. ! queue ! aacparse ! mux.`;
  return text.split(' ');
}

function start(program: string, args: string[], media: 'pipe' | NodeJS.ReadableStream = 'pipe'): ChildProcess {
  const isPiped = media === 'pipe';
  const child = spawn(program, args, { stdio: [isPiped ? 'ignore' : 'pipe', isPiped ? 'pipe' : 'ignore', 'inherit'] });
  if (isPiped) return child;
  child.stdin!.on('error', () => undefined);
  media.pipe(child.stdin!);
  return child;
}

function encoderOf(sender: ChildProcess, player?: ChildProcess): Encoder {
  return {
    pid: sender.pid!,
    async kill() {
      for (const child of [sender, player]) {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    },
  };
}
