/** Makes a real video file to broadcast, and proves that the stream which comes out is one. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The file has 20 s of a moving test pattern with a tone a second, and is small enough to be uploaded by an assistant. */
export function makeVideo(path: string, say: (text: string) => void): string {
  say('Making a 20 s video file with ffmpeg …');
  const video = ['-f', 'lavfi', '-i', 'testsrc2=size=1280x720:rate=30'];
  const audio = ['-f', 'lavfi', '-i', 'sine=frequency=440:beep_factor=4:sample_rate=48000'];
  const coding = [
    '-t',
    '20',
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-b:v',
    '1800k',
    '-maxrate',
    '2000k',
    '-bufsize',
    '2000k',
    '-pix_fmt',
    'yuv420p',
  ];
  execFileSync('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...video,
    ...audio,
    ...coding,
    '-g',
    '60',
    '-c:a',
    'aac',
    '-b:a',
    '96k',
    path,
  ]);
  return path;
}

interface Probe {
  streams: { codec_type: string; codec_name: string; width?: number; height?: number; nb_read_frames?: string }[];
}

/** Reads the live playlist for `seconds` and decodes every frame of every rendition; throws when anything is missing or broken. */
export async function checkStream(playlist: string, seconds: number, say: (text: string) => void): Promise<void> {
  say(`Checking the stream with ffprobe for ${seconds} s …`);
  const args = [
    '-v',
    'error',
    '-count_frames',
    '-show_entries',
    'stream=codec_type,codec_name,width,height,nb_read_frames',
    '-of',
    'json',
  ];
  const { stdout, stderr } = await run('ffprobe', [...args, '-read_intervals', `%+${seconds}`, playlist], {
    timeout: (seconds + 60) * 1000,
  });
  if (stderr.trim() !== '') throw new Error(`ffprobe found faults:\n${stderr}`);
  const { streams } = JSON.parse(stdout) as Probe;
  const video = streams.filter((stream) => stream.codec_type === 'video');
  const audio = streams.filter((stream) => stream.codec_type === 'audio');
  if (video.length < 2 || audio.length < 1)
    throw new Error(`expected two renditions with sound, found ${JSON.stringify(streams)}`);
  for (const stream of video) {
    const frames = Number(stream.nb_read_frames);
    // The bound is half of 30 frames a second: the first segments are there already, and the last one is cut.
    if (!(frames >= seconds * 15))
      throw new Error(`${stream.width}x${stream.height}: only ${frames} frames decoded in ${seconds} s`);
    say(`  ${stream.codec_name} ${stream.width}x${stream.height}: ${frames} frames decoded`);
  }
}
