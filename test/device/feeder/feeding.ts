/** Runs a feeder to its end, with its media in a file, and reads what the file has. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { feedLine, type FeedLine } from '../../../device/feeder/feed-lines.ts';
import { programArguments } from '../../helpers/program.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const ENTRY = programArguments(new URL('../runner/fixtures/runner-entry.ts', import.meta.url));

export interface Fed {
  code: number | null;
  lines: FeedLine[];
  media: string;
}

export async function feed(t: TestContext, order: object, env: NodeJS.ProcessEnv): Promise<Fed> {
  const media = join(testFolder(t, 'feed'), 'media.mkv');
  const file = openSync(media, 'w');
  const child = spawn(process.execPath, [...ENTRY, 'feeder', JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit', file],
    env: { ...process.env, ...env },
  });
  closeSync(file);
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  return { code, lines: text.split('\n').flatMap((line) => feedLine(line) ?? []), media };
}

export function tracksOf(media: string): string[] {
  const args = [
    '-v',
    'error',
    '-show_entries',
    'stream=codec_name,pix_fmt,field_order,width,height,channels',
    '-of',
    'csv=p=0',
  ];
  return execFileSync('ffprobe', [...args, media], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

/** The highest sample of each channel of a track, in thirty-seconds as the stand-in counts them. */
export function channelsOf(media: string, track: number, channels: number): number[] {
  const args = ['-v', 'error', '-i', media, '-map', `0:a:${track}`, '-f', 'f32le', '-'];
  const bytes = execFileSync('ffmpeg', args, { maxBuffer: 1 << 28 });
  const samples = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return Array.from({ length: channels }, (_, c) => {
    let most = 0;
    for (let n = c; n < samples.length; n += channels) most = Math.max(most, samples[n]!);
    return Math.round(most * 32);
  });
}
