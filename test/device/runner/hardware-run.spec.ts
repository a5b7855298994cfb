/** A run whose ffmpeg stands in for a card: the arguments of the card go to x264 while a file says that there is one. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { it } from 'node:test';
import { keepHardware } from '../../../device/ffmpeg/hardware.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const STAND_IN = (card: string): string => `#!/bin/sh
PATH=$(echo "$PATH" | cut -d: -f2-)
case " $* " in *h264_nvenc*) ;; *) exec ffmpeg "$@" ;; esac
[ -e ${card} ] || { echo '[error] Cannot load libcuda.so.1' >&2; exit 1; }
left=$#
while [ $left -gt 0 ]; do
  word=$1; shift; left=$((left - 1))
  case $word in
    h264_nvenc) word=libx264 ;;
    -preset:*) set -- "$@" "$word"; word=ultrafast; shift; left=$((left - 1)) ;;
    -tune:*) set -- "$@" "$word"; word=zerolatency; shift; left=$((left - 1)) ;;
    -rc:*|-zerolatency:*|-rc-lookahead:*|-no-scenecut:*|-forced-idr:*) shift; left=$((left - 1)); continue ;;
  esac
  set -- "$@" "$word"
done
exec ffmpeg "$@"
`;

it('auto encodes by the card, the status says so, and a card that is gone is replaced by software on air', async (t) => {
  const dir = folder(t);
  const bin = join(dir, 'bin');
  const card = join(dir, 'card');
  mkdirSync(bin);
  writeFileSync(card, '');
  writeFileSync(join(bin, 'ffmpeg'), STAND_IN(card), { mode: 0o755 });
  await keepHardware(dir, { encoders: [{ kind: 'nvenc', codec: 'h264', ten_bit: false }], reasons: [] });
  const spec = runSpec('hardware', fileSource(clip(dir)), [output(21, 'HLS / TS')], {
    renditions: [rendition(11, 320, 180, 800, { encoder: 'auto' }), rendition(12, 160, 90, 300)],
  });
  const runner = startRunner(t, dir, spec, { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` });
  await running(runner);
  const encoders = async (): Promise<unknown[]> => (await runner.report()).encodings.map(({ encoder }) => encoder);
  await until('the card is named', async () => (await encoders())[0] === 'nvenc');
  assert.deepEqual(await encoders(), ['nvenc', 'software']);

  rmSync(card);
  process.kill(runner.childNamed('pipe:5'), 'SIGKILL');
  await until('software encodes', async () => (await encoders())[0] === 'software');
  const logged = runner.events().find(({ kind }) => kind === 'encoder_fallback');
  assert.match(logged?.message ?? '', /Cannot load libcuda\.so\.1.*"180p" is encoded in software from now on/u);
  const restarted = (): number => runner.events().filter(({ kind }) => kind === 'encoder_restarted').length;
  await until('its media leave', () => restarted() === 2);
  assert.match((await running(runner)).encodings[0]!.encoder ?? '', /software/u);
});
