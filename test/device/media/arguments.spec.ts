import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encoderArgs } from '../../../device/media/arguments/encoder-args.ts';
import { undecoded } from '../../../device/media/arguments/datagram-url.ts';
import { concatList, copyIngestArgs, rawIngestArgs } from '../../../device/media/arguments/ingest-args.ts';
import { cropFilter, videoFilter } from '../../../device/media/arguments/ingest-filters.ts';
import { ingestInput } from '../../../device/media/arguments/source-input.ts';
import { NO_FACTS } from '../../../device/media/ffmpeg-output/source-facts.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { recordArgs } from '../../../device/media/arguments/publisher-args.ts';
import { redactorFor, secretsOf } from '../../../device/media/ffmpeg-output/redact.ts';
import { otherShape } from '../../../device/runner/input/ingest-end.ts';
import { refusalOfRun } from '../../../device/runner/preflight.ts';
import { fileSource, output, rendition, runSpec, source } from '../runner/specs.ts';

const ladder = [
  rendition(11, 1280, 720, 2500),
  rendition(12, 640, 360, 800),
  rendition(13, 640, 480, 700, { fps: 15 }),
];

test('one encoder makes all renditions from the largest, with keyframes at the same times', () => {
  const plan = planLadder(ladder);
  assert.deepEqual([plan.width, plan.height, plan.audios.length, plan.keyframeSeconds], [1280, 720, 1, 1]);
  const args = encoderArgs(plan, 12.5);
  const line = args.join(' ');
  assert.match(line, /-s 1280x720 -framerate 30 -i pipe:3/u);
  assert.ok(
    args.includes(
      '[0:v]setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709,split=3[s0][s1][s2];[s0]setsar=1[v0];[s1]scale=640:360:flags=bicubic,setsar=1[v1];[s2]fps=15,scale=640:360:flags=bicubic,pad=640:480:(ow-iw)/2:(oh-ih)/2,setsar=1[v2]',
    ),
  );
  for (const [i, gop] of [30, 30, 15].entries()) assert.ok(line.includes(`-g:v:${i} ${gop} `), `rendition ${i}`);
  assert.match(
    line,
    /-program program_num=1:st=0:st=3 -program program_num=2:st=1:st=3 -program program_num=3:st=2:st=3/u,
  );
  assert.match(line, /-output_ts_offset 12\.500000/u);
});

test('renditions with another sound get an encoder of their own', () => {
  const [a, b] = ladder;
  const plan = planLadder([a!, { ...b!, audio: { ...b!.audio!, bitrate: 64 } }]);
  assert.deepEqual(
    plan.renditions.map(({ audio }) => audio?.pid),
    [0x102, 0x103],
  );
});

test('the source is fitted into the picture of the ladder and takes the rate of the clock', () => {
  const plan = planLadder(ladder);
  const file = fileSource('/media/a clip.mp4');
  const line = rawIngestArgs(file, ingestInput(file), plan, 'both').join(' ');
  assert.match(
    line,
    /-re -stream_loop -1 -protocol_whitelist file -format_whitelist \S+ -i file:\/media\/a clip\.mp4 -map 0:V:0/u,
  );
  const filter = videoFilter(plan, null, NO_FACTS, true);
  assert.match(filter, /fps=30,scale=w=max\(2\\,trunc\(min\(1280\\,720\*dar\)\/2\)\*2\):/u);
  const cropped = videoFilter(plan, { left: 10, right: 20, top: 0, bottom: 12.5 }, NO_FACTS, true);
  const crop = 'crop=w=max(2\\,iw*0.7000):h=max(2\\,ih*0.8750):x=iw*0.1000:y=ih*0.0000';
  assert.ok(cropped.includes(`fps=30,${crop},scale=`), 'before it is scaled');
  assert.throws(() => cropFilter({ left: 50, right: 50, top: 0, bottom: 0 }), /leaves no picture/u);
  assert.ok(!rawIngestArgs(file, ingestInput(file), plan, 'video').includes('pipe:4'));
  assert.ok(!rawIngestArgs(file, ingestInput(file), plan, 'audio').includes('pipe:3'));
  const once = fileSource('/x.mp4', false);
  assert.ok(!ingestInput(once).args.includes('-stream_loop'));
  assert.match(copyIngestArgs(file, ingestInput(file), plan, 10).join(' '), /-c:v copy .*-f mpegts pipe:1$/u);
});

test('datagrams of a copy wait in the kernel where it may keep as much as the buffer of ffmpeg', () => {
  const { args } = ingestInput(source('Stream', { url: 'udp://239.0.0.1:5000' }));
  const query = (maxReceiveBytes: number): string => undecoded(args, maxReceiveBytes).at(-1)!.split('?')[1]!;
  assert.equal(query(212_992), 'timeout=5000000&fifo_size=8192&overrun_nonfatal=1');
  assert.equal(query(2 ** 21), 'timeout=5000000&fifo_size=0&buffer_size=2097152&overrun_nonfatal=1');
  assert.equal(query(2 ** 26), 'timeout=5000000&fifo_size=0&buffer_size=4194304&overrun_nonfatal=1');
  const own = ingestInput(source('Stream', { url: 'udp://239.0.0.1:5000?fifo_size=100' })).args;
  assert.deepEqual(undecoded(own, 2 ** 26), own, 'what the address says counts');
});

test('an address with a secret goes by a list, others by the arguments', () => {
  for (const url of ['https://user:pw@host/live.m3u8', 'http://host/x.ts?token=canary', 'rtmp://host/app/canary']) {
    const { args, list } = ingestInput(source('Stream', { url }));
    assert.equal(args.slice(-2).join(' '), '-i pipe:0');
    assert.ok(!/\bfile\b/u.test(args[args.indexOf('-protocol_whitelist') + 1]!), 'no server leads to our files');
    assert.ok(!args.join(' ').includes('host'), url);
    assert.ok(list!.includes(`file '${url}'`));
  }
  const open = ingestInput(source('Stream', { url: 'http://host/live/index.m3u8' }));
  assert.equal(open.list, undefined);
  assert.match(open.args.join(' '), /-re .*-live_start_index -2 -i http:\/\/host\/live\/index\.m3u8$/u);
  assert.match(
    ingestInput(source('Stream', { url: 'udp://239.0.0.1:5000?timeout=9' })).args.at(-1)!,
    /^udp:\/\/239\.0\.0\.1:5000\?timeout=9&fifo_size=50000&overrun_nonfatal=1$/u,
  );
  assert.equal(concatList("http://h/it's?x=1", 'hls').split('\n')[1], "file 'http://h/it'\\''s?x=1'");
  assert.throws(() => concatList('http://h/\nfile /etc/passwd', 'hls'), TypeError);
});

test('a recording is fragmented and never replaces a file', () => {
  const args = recordArgs({ container: 'mp4', video: ['hevc'], audio: ['mp4a'] }, '/r/x-1.mp4');
  assert.ok(
    args.includes('-n') && args.includes('+frag_keyframe+delay_moov+default_base_moof') && args.includes('hvc1'),
  );
});

test('HEVC alone has the tag of HEVC in a Recording of several codecs', () => {
  const args = recordArgs({ container: 'mp4', video: ['h264', 'hevc'], audio: ['mp4a'] }, '/r/x-1.mp4');
  assert.deepEqual(
    args.filter((arg) => arg.startsWith('-tag')),
    ['-tag:v:1'],
  );
});

test('no secret survives the redactor, in whatever form it is written', () => {
  const outputs = [
    output(1, 'RTMP', { url: 'rtmp://a/live/url-key', stream_key: 'main key/1', password: 'pass-word' }),
    output(2, 'SRT', { url: 'srt://b:9000', srt: { latency_ms: 200, passphrase: 'phrase-of-srt', encryption: 128 } }),
  ];
  const spec = runSpec('r', source('Stream', { url: 'https://user:source-pw@c/x?token=query-secret' }), outputs);
  const { redact: redact } = redactorFor(spec);
  const text = `main key/1 main%20key%2F1 pass-word phrase-of-srt source-pw query-secret url-key rtmp://z/app/other-key?q=unknown https://u:p@d/?k=v`;
  const clean = redact(text);
  for (const secret of [...secretsOf(spec), 'main%20key%2F1', 'other-key', 'unknown', 'u:p', 'k=v'])
    assert.ok(!clean.includes(secret), `${secret} in ${clean}`);
  assert.equal(redact('Connection refused by 10.0.0.1:1935'), 'Connection refused by 10.0.0.1:1935');
});

test('ffmpeg says which stream is missing', () => {
  assert.equal(otherShape("[fatal] Stream map '0:a:0' matches no streams.", 'both'), 'video');
  assert.equal(otherShape("[fatal] Stream map '0:V:0' matches no streams.", 'both'), 'audio');
  assert.equal(otherShape('[error] Output file #1 does not contain any stream', 'both'), 'video');
  assert.equal(otherShape('[error] Output file #0 does not contain any stream', 'both'), 'audio');
  assert.equal(otherShape('Connection refused', 'both'), undefined);
  assert.equal(otherShape("Stream map '0:a:0' matches no streams.", 'video'), undefined);
});

test('a run that cannot be carried out is refused by name before any process', () => {
  const spec = runSpec('r', fileSource('/dev/null'), [output(1, 'HLS / TS')]);
  assert.equal(refusalOfRun(spec), undefined);
  const first = spec.renditions[0]!;
  const withVideo = (more: object) => ({ ...spec, renditions: [{ ...first, video: { ...first.video!, ...more } }] });
  assert.match(refusalOfRun({ ...spec, source: source('UDP-R Cloud', { cloudAccountId: 1 }) })!, /type UDP-R Cloud/u);
  assert.match(refusalOfRun({ ...spec, source: fileSource('/no/such/file') })!, /not on this Device/u);
  const later = source('Hologram' as 'SRT', {});
  for (const place of [{ source: later }, { backup: later }])
    assert.match(refusalOfRun({ ...spec, ...place })!, /is of type Hologram, which this Device does not know/u);
  assert.match(refusalOfRun(withVideo({ codec: 'mp4v' }))!, /mp4v/u);
  assert.equal(refusalOfRun(withVideo({ codec: 'av1' })), undefined);
  assert.match(refusalOfRun(withVideo({ hdr_mode: 'hdr10' }))!, /use codec hevc, av1, vp9 for hdr10/u);
  assert.equal(refusalOfRun(withVideo({ codec: 'hevc', hdr_mode: 'hdr10' })), undefined);
  assert.match(
    refusalOfRun({ ...spec, renditions: [...withVideo({ codec: 'copy' }).renditions, first] })!,
    /single Encoding/u,
  );
  assert.match(refusalOfRun({ ...spec, outputs: [output(1, 'HLS / TS', {}, { primary: false })] })!, /switched on/u);
});
