import { test } from 'node:test'; import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http'; import { readFileSync, readdirSync, existsSync } from 'node:fs'; import { join } from 'node:path';
import { liveDir } from '/work/main/device/run-dir.ts';
import { clip, ffprobe, folder, freePort, running, startRunner, until, everyCommandLine } from '/work/main/test/device/runner/bench.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec, source } from '/work/main/test/device/runner/specs.ts';
const HLS = [output(21, 'HLS / TS')];
async function go(t: any, dir: string, name: string, from: any, renditions: any[], outs: any[] = HLS, segs = 3) {
  const runner = startRunner(t, dir, runSpec(name, from, outs, { renditions }));
  await running(runner, 20);
  const live = liveDir(dir, LIVESTREAM_ID, 21);
  await until('segs', 20, () => renditions.every((r) => { const p = join(live, String(r.encodingId), 'index.m3u8'); return existsSync(p) && readFileSync(p, 'utf8').split('#EXTINF').length > segs; }));
  const rep = await runner.report();
  await runner.stop(); await runner.exited;
  console.log(name, JSON.stringify(runner.events().find(e => e.kind === 'started')!.data), JSON.stringify(rep.source), JSON.stringify(rep.encodings));
  console.log(readFileSync(join(live, 'index.m3u8'), 'utf8'));
  for (const r of renditions) { console.log(ffprobe(join(live, String(r.encodingId), 'index.m3u8'), '-count_frames', '-show_entries', 'stream=codec_name,width,r_frame_rate,nb_read_frames,channels,sample_rate,start_time')); console.log(readFileSync(join(live, String(r.encodingId), 'index.m3u8'), 'utf8').match(/EXTINF.*/g)!.join(' ')); }
  const log = readFileSync(runner.files.log, 'utf8').split('\n').filter(l => l.includes('warn') && !l.includes('Guessed')); if (log.length) console.log('LOG', log.slice(0, 6).join('\n'));
  assert.deepEqual(runner.left(), []);
}
const A = (r: any, o: object) => ({ ...r, audio: { ...r.audio, ...o } });
test('hevc+opus', async (t) => { const d = folder(t); await go(t, d, 'hevc', fileSource(clip(d)), [A(rendition(11, 640, 360, 600, { codec: 'hevc' }), { codec: 'opus' }), A(rendition(12, 320, 180, 300, { codec: 'hevc' }), { codec: 'mp3', channels: 1, sample_rate: 44100 })], [...HLS, output(23, 'Record')]); });
test('ntsc + half rate', async (t) => { const d = folder(t); await go(t, d, 'ntsc', fileSource(clip(d)), [rendition(11, 640, 360, 600, { fps: 29.97 }), rendition(12, 320, 240, 300, { fps: 15 })]); });
test('audio only + video', async (t) => { const d = folder(t); await go(t, d, 'mixed', fileSource(clip(d)), [rendition(11, 640, 360, 600), { ...rendition(12, 2, 2, 2), video: null }]); });
test('audio only', async (t) => { const d = folder(t); await go(t, d, 'radio', fileSource(clip(d)), [{ ...rendition(12, 2, 2, 2), video: null }], [...HLS, output(23, 'Record')]); });
test('video only', async (t) => { const d = folder(t); await go(t, d, 'silent', fileSource(clip(d)), [{ ...rendition(11, 320, 180, 300), audio: null }]); });
test('http hls + secret', async (t) => {
  const d = folder(t); const f = clip(d);
  execFileSync('ffmpeg', ['-v', 'error', '-i', f, '-c', 'copy', '-f', 'hls', '-hls_time', '1', '-hls_list_size', '0', join(d, 'v.m3u8')]);
  const server = createServer((q, r) => { const u = new URL(q.url!, 'http://x'); if (u.pathname.endsWith('.m3u8') && u.searchParams.get('token') !== "canary'q") { r.writeHead(403); r.end(); return; } let b = readFileSync(join(d, u.pathname)); if (u.pathname.endsWith('.m3u8')) b = Buffer.from(b.toString().replace('#EXT-X-ENDLIST', '')); r.end(b); }).listen(0);
  t.after(() => server.close());
  await go(t, d, 'pull', source('Stream', { url: `http://127.0.0.1:${(server.address() as any).port}/v.m3u8?token=canary'q` }), [rendition(11, 320, 180, 300)]);
});
test('http file', async (t) => {
  const d = folder(t); const f = clip(d);
  const server = createServer((q, r) => r.end(readFileSync(f))).listen(0); t.after(() => server.close());
  await go(t, d, 'httpfile', source('Stream', { url: `http://127.0.0.1:${(server.address() as any).port}/v.mp4` }), [rendition(11, 320, 180, 300)]);
});
test('udp', async (t) => {
  const d = folder(t); const f = clip(d); const port = await freePort();
  const p = spawn('ffmpeg', ['-v', 'error', '-re', '-stream_loop', '-1', '-i', f, '-c', 'copy', '-f', 'mpegts', `udp://127.0.0.1:${port}?pkt_size=1316`]); t.after(() => void p.kill('SIGKILL'));
  await go(t, d, 'udp', source('Stream', { url: `udp://127.0.0.1:${port}` }), [rendition(11, 320, 180, 300)]);
});
test('rtp', async (t) => {
  const d = folder(t); const f = clip(d); const port = await freePort();
  const p = spawn('ffmpeg', ['-v', 'error', '-re', '-stream_loop', '-1', '-i', f, '-c', 'copy', '-f', 'rtp_mpegts', `rtp://127.0.0.1:${port}`]); t.after(() => void p.kill('SIGKILL'));
  await go(t, d, 'rtp', source('Stream', { url: `rtp://127.0.0.1:${port}` }), [rendition(11, 320, 180, 300)]);
});
test('udp copy', async (t) => {
  const d = folder(t); const f = clip(d); const port = await freePort();
  const p = spawn('ffmpeg', ['-v', 'error', '-re', '-stream_loop', '-1', '-i', f, '-c', 'copy', '-f', 'mpegts', `udp://127.0.0.1:${port}?pkt_size=1316`]); t.after(() => void p.kill('SIGKILL'));
  await go(t, d, 'udpcopy', source('Stream', { url: `udp://127.0.0.1:${port}` }), [A(rendition(11, 640, 360, 300, { codec: 'copy' }), { codec: 'mp4a' })]);
});
