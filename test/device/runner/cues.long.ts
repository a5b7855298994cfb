/** Cues and tags from an operator, as every kind of Destination carries them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { XMLParser } from 'fast-xml-parser';
import { HLS } from '../../helpers/hls.ts';
import { breakOut, cueBytes } from '../../../device/media/scte35/cue-message.ts';
import { CUE_PID, ID3_PID } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { decodeSplice, encodeSplice, spliceTicks } from '../../../device/media/scte35/scte35.ts';
import { liveDir } from '../../../device/run-dir.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { CueSpec } from '../../../domain/shapes/changes/change-bodies.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { capture, continuityErrors } from './receivers.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const LADDER = { renditions: [rendition(11, 320, 180, 300), rendition(12, 160, 90, 100)] };
const [TS, CMAF, UDP] = [21, 31, 41];
const TICKS = 90_000;

interface Packet {
  codec_type: string;
  stream_index: number;
  pts_time: string;
  pts: number;
  data: Buffer;
}

/** The packets that ffprobe finds on the PIDs of cues and tags. */
function probe(path: string): { names: string[]; cues: Packet[]; tags: Packet[]; pictures: number[] } {
  const entries = 'stream=index,codec_name,id:packet=codec_type,stream_index,pts,pts_time,data';
  const args = ['-v', 'error', '-show_data', '-show_entries', entries, '-of', 'json', path];
  const { streams, packets } = JSON.parse(
    execFileSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 256 << 20, timeout: 120_000 }),
  ) as any;
  const bytes = (dump: string): Buffer =>
    Buffer.from(dump.replaceAll(/^[0-9a-f]{8}: ((?:[0-9a-f]{2,4} ?)+).*$/gmu, '$1').replaceAll(/\s/gu, ''), 'hex');
  const on = (id: number): Packet[] => {
    const index = streams.find((stream: any) => Number(stream.id) === id)?.index;
    return packets
      .filter((packet: any) => packet.stream_index === index)
      .map((packet: any) => ({ ...packet, data: bytes(packet.data ?? '') }));
  };
  return {
    names: streams.map(({ codec_name }: any) => codec_name),
    cues: on(CUE_PID),
    tags: on(ID3_PID),
    pictures: on(0x100).map(({ pts }) => pts),
  };
}

const done = (runner: TestRunner): RunEvent[] => runner.events().filter(({ data }) => data.change === 'cue');

async function cue(runner: TestRunner, spec: CueSpec): Promise<RunEvent> {
  const count = done(runner).length;
  const answer = await change(runner, { type: 'cue', cue: spec });
  assert.equal(answer.status, 200, answer.detail);
  return done(runner)[count]!;
}

async function refused(runner: TestRunner, spec: CueSpec, words: RegExp): Promise<void> {
  const answer = await change(runner, { type: 'cue', cue: spec });
  assert.equal(answer.code, 'rule_violated');
  assert.match(answer.detail!, words);
}

function playlistText(dir: string, publishingId: number, track: string): string {
  try {
    return readFileSync(join(liveDir(dir, LIVESTREAM_ID, publishingId), track, 'index.m3u8'), 'utf8');
  } catch {
    return '';
  }
}

function segmentsOf(text: string): readonly HLS.types.Segment[] {
  if (text === '') return [];
  return (HLS.parse(text) as HLS.types.MediaPlaylist).segments;
}

/** Counts an event as a receiver does. */
const ticksOf = ({ data }: RunEvent): number => Math.round((data.pts_seconds as number) * TICKS);
const startOf = ({ programDateTime }: HLS.types.Segment): number => programDateTime!.getTime();

/** Lists that hold a whole test, and a transport stream to a port of this machine. */
function outputsTo(port: number) {
  const long = { segment_duration: 2, playlist_length: 60 };
  return [
    output(TS, 'HLS / TS', long),
    output(CMAF, 'CMAF', long),
    output(UDP, 'STREAM', { url: `udp://127.0.0.1:${port}` }),
  ];
}

test('a break and its tags reach transport stream, HLS and DASH', async (t) => {
  const dir = folder(t);
  const receiver = await capture(t);
  const outputs = outputsTo(receiver.port);
  const runner = startRunner(t, dir, runSpec('cues', fileSource(clip(dir)), outputs, LADDER));
  await running(runner);
  await until('all up', async () => (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'));

  const out = await cue(runner, { type: 'CueOut', duration: 3, id: 77 });
  assert.match(out.message, /^Break 77 begins at .*Z, for 3 s\.$/u);
  await refused(runner, { type: 'CueOut' }, /Break 77 is open since/u);
  const tag = await cue(runner, { type: 'ID3Tag', name: 'song', value: 'Grüße' });
  const range = await cue(runner, {
    type: 'DateRange',
    id: 'show-1',
    name: 'com.example.show',
    duration: 4.5,
    attributes: { title: 'A & B', 'X-RATING': 7 },
  });
  await refused(runner, { type: 'DateRange', attributes: { a: 'x",X-B="y' } }, /double quotes/u);
  await refused(runner, { type: 'DateRange', attributes: { a: 'x\n#EXT-X-ENDLIST' } }, /line breaks/u);
  await refused(runner, { type: 'DateRange', attributes: { 'a=1,b': 'x' } }, /no name of an attribute/u);
  const back = await until('it ends by itself', () => done(runner).find(({ data }) => data.automatic === true));
  assert.equal(back.data.id, 77);
  await refused(runner, { type: 'CueIn' }, /No break is open/u);
  const endMs = Date.parse(back.data.at as string);
  await until('the end is listed everywhere', () =>
    [playlistText(dir, TS, '11'), playlistText(dir, CMAF, '256')].every(
      (text) => startOf(segmentsOf(text).at(-1)!) > endMs + 500,
    ),
  );
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);

  const [outSeconds, inSeconds] = [out.data.pts_seconds as number, back.data.pts_seconds as number];
  assert.ok(Math.abs(inSeconds - outSeconds - 3) < 0.001);
  assert.equal(Date.parse(back.data.at as string) - Date.parse(out.data.at as string), 3000);

  await t.test('STREAM', () => {
    const bytes = Buffer.concat(receiver.datagrams.map(({ data }) => data));
    assert.equal(continuityErrors(bytes), 0);
    const path = join(dir, 'udp.ts');
    writeFileSync(path, bytes);
    const { names, cues, tags, pictures } = probe(path);
    assert.deepEqual(names, ['h264', 'aac', 'scte_35', 'timed_id3']);
    assert.deepEqual(
      cues.map(({ data }) => {
        const { info } = decodeSplice(data);
        assert.ok(info?.command.kind === 'splice_insert');
        return [info.command.eventId, info.command.event?.outOfNetwork, spliceTicks(info)!];
      }),
      [
        [77, true, ticksOf(out)],
        [77, false, ticksOf(back)],
      ],
    );
    for (const [i, { pts }] of cues.entries()) {
      const ahead = [outSeconds, inSeconds][i]! - pts / TICKS;
      assert.ok(ahead > 0.3 && ahead <= 2.2, `given ${ahead} s before`);
    }
    assert.ok(pictures.includes(Math.round(outSeconds * TICKS)), 'at a picture');
    assert.deepEqual(
      tags.map(({ pts }) => pts),
      [ticksOf(tag)],
    );
    assert.ok(pictures.includes(tags[0]!.pts));
  });

  for (const [publishingId, track] of [
    [TS, '11'],
    [TS, '12'],
    [CMAF, '256'],
    [CMAF, '258'],
  ] as const)
    await t.test(`playlist ${publishingId}/${track}`, () => {
      const text = playlistText(dir, publishingId, track);
      const segments = segmentsOf(text);
      const outAt = Date.parse(out.data.at as string);
      const first = segments.find((segment) => Math.abs(startOf(segment) - outAt) <= 30);
      assert.ok(first !== undefined, 'a segment begins with the break');
      const next = segments.find((segment) => Math.abs(startOf(segment) - endMs) <= 30);
      assert.ok(next !== undefined, 'and one behind it');
      const lines = text.split('\n');
      const before = (segment: HLS.types.Segment): string[] => {
        const at = lines.indexOf(segment.uri);
        const from = lines.findLastIndex((line, i) => i < at && !line.startsWith('#'));
        return lines.slice(from + 1, at);
      };
      assert.ok(before(first).includes('#EXT-X-CUE-OUT:3.000'));
      assert.ok(before(next).includes('#EXT-X-CUE-IN'));
      assert.ok(text.includes('#EXT-X-CUE-OUT-CONT:ElapsedTime='));
      const ranges = lines.filter((line) => line.startsWith('#EXT-X-DATERANGE'));
      assert.equal(ranges.length, 3);
      const opened = ranges.find((line) => line.includes('SCTE35-OUT='))!;
      assert.match(
        opened,
        new RegExp(`START-DATE="${out.data.at as string}",PLANNED-DURATION=3.000,SCTE35-OUT=0xFC`, 'u'),
      );
      const section = decodeSplice(cueBytes(/SCTE35-OUT=(0x[0-9A-F]+)/u.exec(opened)![1]!)!);
      assert.equal(spliceTicks(section.info!), ticksOf(out));
      const closed = ranges.find((line) => line.includes('SCTE35-IN='))!;
      assert.match(closed, new RegExp(`END-DATE="${back.data.at as string}",DURATION=3.000,SCTE35-IN=0xFC`, 'u'));
      assert.ok(
        ranges.includes(
          `#EXT-X-DATERANGE:ID="show-1",CLASS="com.example.show",START-DATE="${range.data.at as string}",` +
            'DURATION=4.500,X-TITLE="A & B",X-RATING=7',
        ),
        ranges.join('\n'),
      );
      const parsed = segments.flatMap(({ dateRange }) => (dateRange ? [dateRange] : []));
      assert.ok(parsed.length > 0 && parsed.every(({ id }) => id !== undefined));
    });

  await t.test('the tag is in the segment of its time', () => {
    const at = Date.parse(tag.data.at as string);
    const inside = ({ programDateTime, duration }: HLS.types.Segment): boolean =>
      programDateTime!.getTime() <= at + 1 && at + 1 < programDateTime!.getTime() + duration * 1000;
    const ts = segmentsOf(playlistText(dir, TS, '12')).filter(inside);
    assert.equal(ts.length, 1);
    const { tags } = probe(join(liveDir(dir, LIVESTREAM_ID, TS), '12', ts[0]!.uri));
    assert.deepEqual(
      tags.map(({ pts }) => pts),
      [ticksOf(tag)],
    );
    for (const track of ['256', '257']) {
      const parts = segmentsOf(playlistText(dir, CMAF, track)).filter(inside);
      const bytes = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), track, parts[0]!.uri));
      assert.equal(bytes.toString('latin1', 4, 8), 'emsg');
      assert.deepEqual([bytes.readUInt32BE(12), Number(bytes.readBigUInt64BE(16))], [TICKS, ticksOf(tag)]);
      assert.ok(bytes.includes('https://aomedia.org/emsg/ID3') && bytes.includes('Grüße'));
    }
  });

  await t.test('MPD', () => {
    const text = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'manifest.mpd'), 'utf8');
    const { MPD } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' }).parse(text) as any;
    const { EventStream, AdaptationSet } = MPD.Period;
    assert.equal(EventStream.schemeIdUri, 'urn:scte:scte35:2014:xml+bin');
    const began = Date.parse(MPD.availabilityStartTime);
    assert.deepEqual(
      EventStream.Event.map(({ presentationTime }: any) => began + Number(presentationTime)),
      [Date.parse(out.data.at as string), endMs],
    );
    assert.equal(EventStream.Event[0].duration, '3000');
    const sections = EventStream.Event.map(({ Signal }: any) => decodeSplice(cueBytes(Signal.Binary)!).info);
    assert.deepEqual(
      sections.map((info: any) => spliceTicks(info)),
      [ticksOf(out), ticksOf(back)],
    );
    const video = [AdaptationSet].flat().find(({ contentType }: any) => contentType === 'video');
    assert.equal(video.InbandEventStream.schemeIdUri, 'https://aomedia.org/emsg/ID3');
    assert.equal(MPD.UTCTiming.value, 'manifest.mpd');
  });
});

test('a break outlives a killed encoder and a killed runner', async (t) => {
  const dir = folder(t);
  const receiver = await capture(t);
  const outputs = outputsTo(receiver.port);
  const spec = runSpec('lasting', fileSource(clip(dir)), outputs, LADDER);
  const first = startRunner(t, dir, spec);
  await running(first);
  const listed = (text: string): number => segmentsOf(text).length;
  await until('segments', () => listed(playlistText(dir, CMAF, '256')) > 0);
  const out = await cue(first, { type: 'CueOut', id: 5 });
  process.kill(first.childNamed('libx264'), 'SIGKILL');
  await until('another encoder is on air', () =>
    first.events().some(({ kind, message }) => kind === 'encoder_restarted' && message.includes('on air')),
  );
  await until('the break is listed', () => playlistText(dir, TS, '11').includes('CUE-OUT-CONT'));
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  await until('no child is left', () => first.left().length === 0);

  const second = startRunner(t, dir, spec);
  await running(second);
  const before = listed(playlistText(dir, CMAF, '256'));
  await until('it goes on', () => listed(playlistText(dir, CMAF, '256')) > before + 1);
  await refused(second, { type: 'CueOut' }, /Break 5 is open since/u);
  const back = await cue(second, { type: 'CueIn' });
  assert.equal(back.data.id, 5);
  const seconds = (Date.parse(back.data.at as string) - Date.parse(out.data.at as string)) / 1000;
  assert.ok(Math.abs((back.data.duration as number) - seconds) < 0.002);
  await until('the end is listed everywhere', () =>
    [playlistText(dir, TS, '11'), playlistText(dir, CMAF, '256')].every((text) => text.includes('#EXT-X-CUE-IN')),
  );
  await second.stop();
  assert.equal(await second.exited, 0);

  for (const [id, track] of [
    [TS, '12'],
    [CMAF, '257'],
  ] as const) {
    const text = playlistText(dir, id, track);
    assert.equal(text.match(/#EXT-X-CUE-OUT\n/gu)?.length, 1);
    assert.equal(text.match(/#EXT-X-CUE-IN\n/gu)?.length, 1);
    assert.match(text, new RegExp(`END-DATE="${back.data.at as string}",DURATION=[0-9.]+,SCTE35-IN=0xFC`, 'u'));
    const conts = [...text.matchAll(/CUE-OUT-CONT:ElapsedTime=([0-9.]+)/gu)].map(([, time]) => Number(time));
    assert.ok(conts.length > 1 && conts.every((time, i) => i === 0 || time > conts[i - 1]!), conts.join());
  }
  const datagrams = Buffer.concat(receiver.datagrams.map(({ data }) => data));
  const path = join(dir, 'udp.ts');
  writeFileSync(path, datagrams);
  const { cues, pictures } = probe(path);
  assert.deepEqual(
    cues.map(({ data }) => spliceTicks(decodeSplice(data).info!)),
    [ticksOf(out), ticksOf(back)],
  );
  // The time of the stream went on while nobody sent it.
  assert.ok(pictures.every((pts, i) => i === 0 || pts > pictures[i - 1]!));

  const master = join(liveDir(dir, LIVESTREAM_ID, CMAF), '256', 'index.m3u8');
  const args = ['-v', 'error', '-allowed_extensions', 'ALL', '-count_packets', '-select_streams', 'v', '-show_entries'];
  const counted = Number(
    execFileSync('ffprobe', [...args, 'stream=nb_read_packets', '-of', 'csv=p=0', master], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
  const lasts = segmentsOf(playlistText(dir, CMAF, '256')).reduce((sum, { duration }) => sum + duration, 0);
  assert.ok(Math.abs(counted - lasts * 30) <= 2, `${counted} of ${lasts * 30} pictures`);
});

test('a splice section of others is taken up or refused by name, and ad values set the lengths of breaks', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('ads', fileSource(clip(dir)), [output(TS, 'HLS / TS')], LADDER));
  await running(runner);
  const adValues = async (values: object): Promise<void> => {
    assert.equal((await change(runner, { type: 'adValues', adValues: values })).status, 200);
  };
  const stored = (): unknown => (JSON.parse(readFileSync(runner.files.spec, 'utf8')) as any).adValues;
  await adValues({ default_ad_duration: 40, max_ad_duration: 60, next_ad_duration: 90 });
  const one = await cue(runner, { type: 'CueOut' });
  assert.equal(one.data.duration, 60, 'the next one, not longer than allowed');
  assert.deepEqual(stored(), { default_ad_duration: 40, max_ad_duration: 60, next_ad_duration: null });
  await cue(runner, { type: 'CueIn', id: one.data.id as number });
  const two = await cue(runner, { type: 'CueOut' });
  assert.equal(two.data.duration, 40);
  assert.ok((two.data.pts_seconds as number) > (one.data.pts_seconds as number));
  await refused(runner, { type: 'CueIn', id: 99 }, /Break 99 is not open.* Open: \d+\./u);
  await cue(runner, { type: 'CueIn' });

  const theirs = encodeSplice(breakOut({ eventId: 0xabcd, ticks: 5, durationTicks: 100 * TICKS }));
  const broken = Buffer.from(theirs);
  broken[15]! ^= 1;
  await refused(runner, { type: 'ScteOut', value: broken.toString('base64') }, /its CRC_32 is wrong/u);
  await refused(runner, { type: 'ScteOut', value: 'zz' }, /neither base64 nor hexadecimal/u);
  await refused(runner, { type: 'ScteIn', value: theirs.toString('hex') }, /says the opposite/u);
  await refused(runner, { type: 'ScteIn' }, /No break is open/u);
  await refused(runner, { type: 'ScteOut', id: 'abc' }, /whole number below/u);
  const given = await cue(runner, { type: 'ScteOut', value: `0x${theirs.toString('hex')}` });
  assert.deepEqual([given.data.id, given.data.duration], [0xabcd, 60]);
  const ended = await cue(runner, { type: 'ScteIn', id: 0xabcd });
  assert.equal(ended.data.id, 0xabcd);
  const text = await until('both are listed', () => {
    const now = playlistText(dir, TS, '11');
    return now.includes('SCTE35-IN=') && now.includes(`END-DATE="${ended.data.at as string}"`) && now;
  });
  const line = text.split('\n').find((one) => one.includes(`START-DATE="${given.data.at as string}"`))!;
  const { info } = decodeSplice(cueBytes(/SCTE35-OUT=(0x[0-9A-F]+)/u.exec(line)![1]!)!);
  assert.equal(spliceTicks(info!), ticksOf(given));
  assert.ok(info?.command.kind === 'splice_insert' && info.command.event?.breakDuration?.ticks === 60 * TICKS);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});
