/** Opus of a copied source goes into MP4 as it came: by this process, beside what ffmpeg decodes of the transport stream. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { opusPackets, opusSamples } from '../../../device/media/codecs/opus.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { framesOf, made, packedOf } from './ts-copies.ts';

const PICTURE = '-t 3 -c:v libx264 -preset ultrafast -g 25';

for (const [name, more] of [
  ['mono', '-ac 1'],
  ['stereo', '-ac 2'],
  ['stereo in frames of 60 ms', '-ac 2 -frame_duration 60'],
  ['5.1', '-af pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0'],
] as const)
  test(`Opus in ${name} is packed frame by frame`, (t) => {
    const dir = testFolder(t, 'opus');
    const stream = made(dir, 'opus', `${PICTURE} -c:a libopus ${more}`);
    const { files, inits, fragments, unfit } = packedOf(stream, 0.5);
    assert.equal(unfit, undefined);
    const pid = 257;
    assert.deepEqual([inits.get(pid)?.codecs, inits.get(pid)?.timescale], ['opus', 48_000]);
    const path = join(dir, 'opus.mp4');
    writeFileSync(path, files.get(pid)!);
    const channels = execFileSync('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream=channels',
      '-of',
      'csv=p=0',
      path,
    ]);
    assert.equal(Number(channels), name === 'mono' ? 1 : name === '5.1' ? 6 : 2);
    const args = ['-v', 'error', '-i', path, '-f', 'framemd5', '-'];
    const text = execFileSync('ffmpeg', args, { encoding: 'utf8' });
    const got = text.split('\n').flatMap((line) => /, *([0-9a-f]{32})$/u.exec(line)?.[1] ?? []);
    const wanted = framesOf(dir, stream, 'a');
    // The decoder of the whole stream leaves out what its first header says; a joiner has no such header.
    assert.deepEqual(got.slice(-100), wanted.slice(-100));
    const all = fragments.get(pid)!.flatMap(({ samples }) => samples.map(({ duration }) => duration));
    assert.ok(new Set(all).size === 1 && all.length > 40, `${new Set(all).size} durations of ${all.length} packets`);
  });

test('packets say how long they last, and damage is told', () => {
  const of = (hex: string): number => opusSamples(Buffer.from(hex, 'hex'));
  assert.deepEqual(['00', '18', '60', '80', 'fc', 'fd', 'ff03'].map(of), [480, 2880, 480, 120, 960, 1920, 2880]);
  const packets = (hex: string): string[] => opusPackets(Buffer.from(hex, 'hex')).map((one) => one.toString('hex'));
  // Both trims and an extension of one byte stand before the first packet.
  assert.deepEqual(packets('7ffc0200010002' + '01aa' + 'fcff' + '7fe00118'), ['fcff', '18']);
  for (const damaged of ['7ee00118', '7fe005fc', '7ffc0200'])
    assert.throws(() => packets(damaged), RangeError, damaged);
});
