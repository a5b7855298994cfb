import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface DecodedStream {
  codec: string;
  width: number | undefined;
  frames: number;
  /** Seconds of its packets. */
  times: number[];
}

/** Every stream of an address, decoded to the last frame, and what the decoder has complained about. */
export async function decodedStreams(
  url: string,
  { options = [], level = 'warning' }: { options?: readonly string[]; level?: 'warning' | 'error' } = {},
): Promise<{ streams: DecodedStream[]; complaints: string }> {
  const entries = 'stream=index,codec_name,width,nb_read_frames:packet=stream_index,pts_time';
  const shown = ['-count_frames', '-show_packets', '-show_entries', entries, '-of', 'json'];
  const { stdout, stderr } = await promisify(execFile)('ffprobe', ['-v', level, ...options, ...shown, url], {
    maxBuffer: 32 << 20,
    timeout: 120_000,
  });
  const { streams, packets } = JSON.parse(stdout) as any;
  return {
    streams: streams.map((stream: any) => ({
      codec: stream.codec_name,
      width: stream.width,
      frames: Number(stream.nb_read_frames),
      times: packets
        .filter((packet: any) => packet.stream_index === stream.index)
        .map((packet: any) => Number(packet.pts_time)),
    })),
    complaints: stderr,
  };
}
