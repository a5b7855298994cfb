/** `onair resolve-video` with a stand-in for yt-dlp, which is what knows the video site. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { onair } from '../helpers/cli.ts';
import { testFolder } from '../helpers/test-folder.ts';

it('resolve-video asks the yt-dlp in PATH by id or address, tells its last line, and how to get it where there is none', async (t) => {
  const dir = testFolder(t, 'resolve-video');
  const env = { ...process.env, PATH: dir, ONAIR_VIDEOSITE_RESOLVER: join(dir, 'other') };
  const ask = (...words: string[]): ReturnType<typeof onair> => onair(['resolve-video', ...words], env);
  const none = await ask('aB3_dE5-gH7');
  assert.deepEqual([none.code, none.stdout], [1, '']);
  assert.match(none.stderr, /no yt-dlp here[\s\S]*pipx install yt-dlp/u);
  const program = (body: string): void => writeFileSync(join(dir, 'yt-dlp'), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  program('echo "https://media.example/live.m3u8 $*"');
  const options = '--no-warnings --no-playlist -g -f best --';
  for (const [words, video] of [
    [['aB3_dE5-gH7'], 'aB3_dE5-gH7'],
    [['--', '-B3_dE5-gH7'], '-B3_dE5-gH7'],
    [['https://site.example/live'], 'https://site.example/live'],
  ] as const) {
    const { code, stdout } = await ask(...words);
    assert.deepEqual([code, stdout], [0, `https://media.example/live.m3u8 ${options} ${video}\n`]);
  }
  assert.equal((await ask('short')).code, 2);
  program('echo "[site] looking" >&2; echo "ERROR: the channel is not live" >&2; exit 1');
  const dark = await ask('aB3_dE5-gH7');
  assert.equal(dark.code, 1);
  assert.match(dark.stderr, /found no stream of aB3_dE5-gH7\.\n {2}upstream: ERROR: the channel is not live\n/u);
});
