/** A clip with several audio tracks, each of which beeps at a pitch of its own with every thirtieth picture, and what a recording has of it. */
import { execFileSync } from 'node:child_process';
import { makeCountedClip } from './counted.ts';
import { madeOnce } from './made-once.ts';

/** Language and pitch in hertz of each track. */
export const TRACKS = [
  { language: 'eng', pitch: 1000 },
  { language: 'deu', pitch: 600 },
  { language: 'fra', pitch: 1700 },
  { language: 'spa', pitch: 2600 },
] as const;
const RATE = 48_000;

export function makeTracksClip(path: string, pictures: number): string {
  return madeOnce(path, ['tracks', pictures], (target) => {
    const counted = makeCountedClip(`${target}.counted.mp4`, pictures);
    const beep = (pitch: number): string =>
      `aevalsrc='if(lt(mod(t\\,1)\\,0.1)\\,0.5*sin(2*PI*${pitch}*t)\\,0)':s=${RATE}:d=${pictures / 30}`;
    const sounds = TRACKS.flatMap(({ pitch }) => ['-f', 'lavfi', '-i', beep(pitch)]);
    const maps = TRACKS.flatMap(({ language }, i) => [
      ...['-map', `${i + 1}:a`],
      ...[`-metadata:s:a:${i}`, `language=${language}`],
    ]);
    const coding = ['-c:v', 'copy', '-c:a', 'aac', '-ac', '2'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', counted, ...sounds, '-map', '0:v', ...maps, ...coding, target]);
  });
}

/** The pitch of the first seconds of one audio stream of a recording, among those of the clip; undefined when it is silent. */
export function pitchOf(input: string, stream: number, options: readonly string[] = []): number | undefined {
  const args = [
    '-v',
    'error',
    ...options,
    '-i',
    input,
    '-map',
    `0:a:${stream}`,
    '-t',
    '3',
    '-ac',
    '1',
    '-ar',
    String(RATE),
  ];
  const raw = execFileSync('ffmpeg', [...args, '-f', 's16le', '-'], { maxBuffer: 64 << 20 });
  const samples = new Int16Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + (raw.length & ~1)));
  if (samples.every((sample) => Math.abs(sample) < 100)) return undefined;
  const [loudest] = TRACKS.map(({ pitch }) => ({ pitch, power: powerAt(samples, pitch) })).sort(
    (a, b) => b.power - a.power,
  );
  return loudest!.pitch;
}

function powerAt(samples: Int16Array, pitch: number): number {
  let [real, imaginary] = [0, 0];
  for (const [n, sample] of samples.entries()) {
    const angle = (2 * Math.PI * pitch * n) / RATE;
    real += sample * Math.cos(angle);
    imaginary += sample * Math.sin(angle);
  }
  return real ** 2 + imaginary ** 2;
}

/** Returns the recording with its picture and this audio stream alone. */
export function withOneTrack(input: string, stream: number, target: string): string {
  const maps = ['-map', '0:v:0', '-map', `0:a:${stream}`, '-c', 'copy'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-copyts', '-i', input, ...maps, target]);
  return target;
}

export interface SoundStream {
  language: string | undefined;
  channels: number;
  isDefault: boolean;
}

export function soundsOf(input: string): SoundStream[] {
  const entries = 'stream=channels:stream_tags=language:stream_disposition=default';
  const args = ['-v', 'error', '-select_streams', 'a', '-show_entries', entries, '-of', 'json', input];
  const { streams } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as any;
  return streams.map(({ channels, tags, disposition }: any) => {
    return { language: tags?.language, channels, isDefault: disposition.default === 1 };
  });
}
