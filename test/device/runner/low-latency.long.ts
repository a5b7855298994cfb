/** Low latency as viewers get it: parts, playlists that are waited for, segments that are served while they are being made. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type ClientHttp2Session } from 'node:http2';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { HLS } from '../../helpers/hls.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { itLong } from '../../helpers/counts.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { until } from '../../helpers/until.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const [TS, CMAF, DASH, WHOLE] = [21, 22, 23, 24];
const VIDEO = '256';

interface Broadcast {
  dir: string;
  runner: TestRunner;
  spec: RunSpec;
  /** Address of the Live stream's media. */
  base: string;
}

async function onAir(t: TestScope, runId: string): Promise<Broadcast> {
  const dir = folder(t);
  const low = { low_latency: true, segment_duration: 1, playlist_length: 12 };
  const outputs = [
    output(TS, 'HLS / TS', low),
    output(CMAF, 'CMAF', low),
    output(DASH, 'DASH', { ...low, segment_duration: 2 }),
    output(WHOLE, 'HLS / TS', { segment_duration: 6 }),
  ];
  const spec = runSpec(runId, fileSource(clip(dir)), outputs);
  const runner = startRunner(t, dir, spec);
  await running(runner);
  return { dir, runner, spec, base: `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}` };
}

interface Listed {
  text: string;
  /** Number of the newest segment that is whole, and the parts behind it. */
  newest: number;
  parts: number;
  hint: string;
}

function read(text: string): Listed {
  const first = Number(/MEDIA-SEQUENCE:(\d+)/u.exec(text)![1]);
  const skipped = Number(/SKIPPED-SEGMENTS=(\d+)/u.exec(text)?.[1] ?? 0);
  const whole = text.match(/^#EXTINF/gmu)?.length ?? 0;
  const behind = text.slice(text.lastIndexOf('#EXTINF') + 1);
  const parts = behind.match(/^#EXT-X-PART:/gmu)?.length ?? 0;
  const hint = /PRELOAD-HINT:TYPE=PART,URI="([^"]+)"/u.exec(text)?.[1] ?? '';
  return { text, newest: first + skipped + whole - 1, parts, hint };
}

async function playlist(address: string): Promise<Listed> {
  const response = await fetch(address);
  assert.equal(response.status, 200, address);
  return read(await response.text());
}

/** Parsers that nobody here wrote accept it, and it says what players of low latency need. */
function assertValid({ text }: Listed): void {
  const parsed = HLS.parse(text) as HLS.types.MediaPlaylist;
  const control = parsed.lowLatencyCompatibility as { canBlockReload: boolean; partHoldBack: number };
  assert.equal(control.canBlockReload, true);
  assert.ok(parsed.partTargetDuration! >= 0.2 && parsed.partTargetDuration! <= 0.5, text);
  assert.ok(control.partHoldBack >= 3 * parsed.partTargetDuration!, text);
  const parts = parsed.segments.flatMap((segment) => segment.parts.filter(({ hint }) => !hint));
  for (const { duration } of parts) assert.ok(duration! <= parsed.partTargetDuration!, text);
  assert.equal(parsed.renditionReports.length, 2, text);
}

test('HLS of low latency holds a playlist until it has what is asked for, refuses what is wrong, and is whole for other players', async (t) => {
  const { dir, base, runner } = await onAir(t, 'low-latency');
  for (const id of [TS, CMAF]) {
    const address = `${base}/${id}/${VIDEO}/index.m3u8`;
    await until('its list', async () => (await fetch(address)).ok);
    const now = await playlist(address);
    assertValid(now);
    const next = await playlist(`${address}?_HLS_msn=${now.newest + 1}&_HLS_part=${now.parts}`);
    assert.ok(next.newest > now.newest || next.parts > now.parts, `${now.text}\n${next.text}`);
    assertValid(next);
    const whole = await playlist(`${address}?_HLS_msn=${next.newest + 1}`);
    assert.equal(whole.newest, next.newest + 1);
    const behind = await playlist(`${address}?_HLS_msn=${whole.newest + 1}&_HLS_part=50`);
    assert.ok(
      behind.newest > whole.newest && behind.parts > 0,
      'a part behind the last is the first of the next segment',
    );
    const hinted = await fetch(`${base}/${id}/${VIDEO}/${behind.hint}`);
    assert.equal(hinted.status, 200, 'the part that was announced comes');
    const media = await hinted.arrayBuffer();
    const after = await playlist(address);
    assert.ok(after.text.includes(`URI="${behind.hint}"`), after.text);
    const file = readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), VIDEO, behind.hint));
    assert.deepEqual(Buffer.from(media), file);
    for (const query of [
      '_HLS_part=1',
      '_HLS_msn=x',
      '_HLS_msn=-1',
      '_HLS_msn=1&_HLS_part=x',
      `_HLS_msn=${after.newest + 4}`,
    ])
      assert.equal((await fetch(`${address}?${query}`)).status, 400, query);
    assert.equal((await fetch(`${base}/${id}/${VIDEO}/${after.newest + 30}.0${suffixOf(after)}`)).status, 404);
  }
  const long = await until('a list that is long enough', async () => {
    const now = await playlist(`${base}/${CMAF}/${VIDEO}/index.m3u8`);
    return now.text.includes('CAN-SKIP-UNTIL=6.000') && now.newest > 7 && now;
  });
  const delta = await playlist(`${base}/${CMAF}/${VIDEO}/index.m3u8?_HLS_skip=YES`);
  assert.match(delta.text, /#EXT-X-SKIP:SKIPPED-SEGMENTS=\d+\n#EXT-X-MAP:/u);
  assert.ok(delta.newest - long.newest <= 1 && delta.text.length < long.text.length);
  assertValid(long);
  // Parts vanish, their segments stay.
  const names = readdirSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), VIDEO));
  assert.ok(
    !names.some((name) => name.startsWith('0.')) && names.some((name) => /^0-.*m4s$/u.test(name)),
    names.join(),
  );
  await runner.stop();
  await runner.exited;
  const end = await playlist(`${base}/${CMAF}/${VIDEO}/index.m3u8?_HLS_msn=100000`);
  assert.match(end.text, /#EXT-X-ENDLIST/u, 'the end is said at once');
});

function suffixOf({ hint }: Listed): string {
  return hint.replace(/^[\d.]+/u, '');
}

async function overHttp2(session: ClientHttp2Session, path: string): Promise<{ status: number; body: string }> {
  const stream = session.request({ ':path': path });
  let status = 0;
  stream.on('response', (headers) => (status = headers[':status']!));
  stream.setEncoding('utf8');
  let body = '';
  for await (const piece of stream) body += piece as string;
  return { status, body };
}

itLong(
  'DASH of low latency says when a segment is available and how it was made, HTTP/2 is spoken, the first segment of others is short, and a killed runner costs no part',
  async (t) => {
    const { dir, base, runner, spec } = await onAir(t, 'low-dash');
    const short = await until('the first segment', async () => {
      const response = await fetch(`${base}/${WHOLE}/11/index.m3u8`);
      return response.ok && response.text();
    });
    assert.match(short, /#EXT-X-SERVER-CONTROL:HOLD-BACK=18\.000\n/u);
    assert.ok(Number(/#EXTINF:([\d.]+)/u.exec(short)![1]) <= 1.1, short);

    const mpd = await until('the manifest', async () => {
      const text = await (await fetch(`${base}/${DASH}/manifest.mpd`)).text();
      return /availabilityStartTime=.*<Latency/su.test(text) && text;
    });
    const startMs = Date.parse(/availabilityStartTime="([^"]+)"/u.exec(mpd)![1]!);
    const [, target] = /<Latency[^>]* target="(\d+)"/u.exec(mpd)!;
    assert.ok(Number(target) <= 2000);
    assert.doesNotMatch(mpd, /suggestedPresentationDelay/u);
    const clocks = [...mpd.matchAll(/<UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="([^"]+)"\/>/gu)];
    assert.ok(clocks.length >= 2, 'one of the presentation, and one of each reference time');
    const time = await fetch(`${base}/${DASH}/${clocks[0]![1]}`);
    assert.equal(time.headers.get('cache-control'), 'no-store');
    assert.ok(Number.isFinite(Date.parse(await time.text())), 'a time');
    const [template] = /<SegmentTemplate[^>]+>/u.exec(mpd)!;
    assert.match(template!, /availabilityTimeComplete="false"/u);
    const attribute = (name: string): number => Number(new RegExp(` ${name}="([\\d.]+)"`, 'u').exec(template!)![1]);
    const seconds = attribute('duration') / attribute('timescale');
    const number = Math.ceil((Date.now() - startMs) / 1000 / seconds) + 1;
    const media = (n: number): string =>
      `${base}/${DASH}/${/ media="([^"]+)"/u.exec(template!)![1]!.replace('$Number$', String(n))}`;
    assert.equal((await fetch(media(number + 20))).status, 404, 'far ahead');
    const offset = attribute('availabilityTimeOffset');
    assert.ok(offset > 0 && offset < seconds, 'available before it is whole');
    const response = await until('the segment', async () => ((got) => got.ok && got)(await fetch(media(number))));
    const reader = response.body!.getReader();
    const first = Buffer.from((await reader.read()).value!);
    assert.equal(first.toString('latin1', 4, 8), 'prft');
    const pieces = [first];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      pieces.push(Buffer.from(value));
    }
    const path = join(liveDir(dir, LIVESTREAM_ID, DASH), media(number).split(`/${DASH}/`)[1]!);
    await until('the whole segment', () => existsSync(path));
    assert.deepEqual(Buffer.concat(pieces), readFileSync(path));
    const session = connect(new URL(base).origin);
    const address = `/live/${LIVESTREAM_ID}/${CMAF}/${VIDEO}/index.m3u8`;
    const now = read((await overHttp2(session, address)).body);
    const next = await Promise.all(
      [0, 1].map((ahead) => overHttp2(session, `${address}?_HLS_msn=${now.newest + 1 + ahead}&_HLS_part=0`)),
    );
    session.close();
    assert.deepEqual(
      next.map(({ status, body }) => [status, read(body).newest >= now.newest]),
      [
        [200, true],
        [200, true],
      ],
    );

    // A killed runner: its successor keeps what viewers have, and a discontinuity follows.
    process.kill(runner.pid, 'SIGKILL');
    await runner.exited;
    const last = await playlist(new URL(address, base).href);
    await running(startRunner(t, dir, spec));
    const after = await until('the broadcast goes on', async () => {
      const list = await playlist(new URL(address, base).href);
      return list.newest > last.newest && list;
    });
    const seen = last.text.match(/(?<=EXT-X-PART:.*URI=")[^"]+/gu)!.slice(-last.parts || undefined);
    for (const part of last.parts === 0 ? [] : seen) assert.ok(after.text.includes(part), `${part} is listed still`);
    assert.match(after.text, /\n#EXT-X-DISCONTINUITY\n/u);
  },
);
