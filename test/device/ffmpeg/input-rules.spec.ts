import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PIXELS, refusalByRules, withInputRules } from '../../../device/ffmpeg/input-rules.ts';
import { encoderArgs } from '../../../device/media/arguments/encoder-args.ts';
import { copyIngestArgs, rawIngestArgs } from '../../../device/media/arguments/ingest-args.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { packagerArgs } from '../../../device/media/arguments/packager-args.ts';
import { lastStillArgs, logoArgs, stillArgs } from '../../../device/media/arguments/still-args.ts';
import { recordArgs } from '../../../device/media/arguments/publisher-args.ts';
import { ingestInput } from '../../../device/media/arguments/source-input.ts';
import { srtArgs, srtTarget } from '../../../device/media/arguments/srt-args.ts';
import { fileSource, rendition, source } from '../runner/specs.ts';
import { wordsOf } from '../../helpers/words.ts';

const plan = planLadder([rendition(11, 640, 360, 800)]);
const size = { width: 640, height: 360 };
const srt = srtTarget('srt://a:9000', null, { latency_ms: 120, encryption: 0, passphrase: null });
const SOURCES = [
  ...wordsOf('http://h/x.m3u8 https://u:p@h/x rtmp://h/a/b rtmps://h/a/b udp://239.0.0.1:5000 rtp://h:5000').map(
    (url) => source('Stream', { url }),
  ),
  source('SRT', { mode: 'caller', host: 'h', port: 9000, latency_ms: 120, encryption: 0 }),
  source('RTMP-Push', { app: 'a', stream_key: 'k', port: 1 }),
  fileSource('/a.mp4'),
];

/** Each input with what stands before it. */
function inputsOf(args: readonly string[]): string[][] {
  let from = 0;
  return args.flatMap((arg, at) => {
    if (arg !== '-i') return [];
    const own = args.slice(from, at + 2);
    from = at + 2;
    return [own];
  });
}
const valueOf = (own: readonly string[], option: string): string | undefined => own[own.indexOf(option) + 1];

test('every input of every command names its protocols and formats, and is bounded', () => {
  const commands = [
    ...SOURCES.flatMap((from) => [
      rawIngestArgs(from, ingestInput(from), plan, 'both'),
      copyIngestArgs(from, ingestInput(from), plan, 0),
    ]),
    ...[encoderArgs(plan, 0), packagerArgs([]), stillArgs(size, size), lastStillArgs(2, 64)],
    ...[logoArgs('/l.png', 'png_pipe', size), recordArgs({ container: 'ts', video: [], audio: [] }, '/r.ts')],
    srtArgs(srt, '/p'),
  ];
  for (const command of commands) {
    const inputs = inputsOf(withInputRules(command));
    assert.ok(inputs.length > 0);
    for (const own of inputs) {
      const line = own.join(' ');
      assert.equal(valueOf(own, '-max_pixels'), String(MAX_PIXELS), line);
      assert.ok(Number(valueOf(own, '-threads')) <= 8, line);
      const protocols = valueOf(own, '-protocol_whitelist')!.split(',');
      const formats = valueOf(own, '-format_whitelist')!.split(',');
      assert.ok(own.includes('-protocol_whitelist') && own.includes('-format_whitelist'), line);
      for (const never of ['tty', 'image2', 'sdp', 'dash', 'imf', 'lavfi']) assert.ok(!formats.includes(never), line);
      assert.ok(!protocols.includes('file') || protocols.length === 1, 'a file leads to files, an address to none');
      assert.ok(!formats.includes('concat') || line.endsWith('-i pipe:0'), 'lists come from us alone');
      assert.ok(!formats.includes('hls') || protocols.includes('http'), 'playlists come by web addresses alone');
    }
  }
});

test('the list that names a secret address holds it to the same formats', () => {
  for (const from of SOURCES) {
    const { args, list } = ingestInput(from);
    if (list === undefined) continue;
    assert.equal(args[args.indexOf('-format_whitelist') + 1], 'concat');
    const [, formats = ''] = /^option format_whitelist '(.*)'$/mu.exec(list) ?? [];
    assert.ok(formats.includes('flv') && !/concat|tty/u.test(formats), list);
  }
});

test('no file is opened by a guess of its format', () => {
  for (const args of [
    ['-i', 'http://h/x'],
    ['-f', 'mpegts', '-i', 'http://h/x'],
    ['-i', 'pipe:0'],
  ])
    assert.throws(() => withInputRules(args), /neither protocols nor formats/u);
});

test('a failure that the input rules caused is said in plain words', () => {
  assert.match(refusalByRules("[error] Format not on whitelist 'hls,mov'")!, /is a text, a picture or a list/u);
  const words = '[error] Picture size 16000x16000 exceeds specified max pixel count 36000000, see the documentation';
  assert.match(refusalByRules(words)!, /16000x16000 pixels, more than 36 million/u);
  const noMemory =
    '[error] thread_get_buffer() failed\n[error] Error while decoding stream #0:0: Cannot allocate memory';
  assert.match(refusalByRules(noMemory)!, /take more memory than an ingest may have/u);
  for (const damaged of [
    '[error] x.mp4: Cannot allocate memory',
    '[error] get_buffer() failed\n[error] Invalid argument',
  ])
    assert.equal(refusalByRules(damaged), undefined, 'a damaged stream may be whole the next time');
  assert.equal(refusalByRules('[error] http://h/x: Connection refused'), undefined);
});
