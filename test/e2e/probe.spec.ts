import { spawn, type ChildProcess } from 'node:child_process';
import { after, before, it } from 'node:test';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { freePort } from '../helpers/ports.ts';

let service: Service;
const children: ChildProcess[] = [];
before(async () => void (service = await startService()));
after(async () => { for (const c of children) c.kill('SIGKILL'); await service.dispose(); });
const ff = (...args: string[]): void => {
  children.push(spawn('ffmpeg', ['-hide_banner','-loglevel','error','-re','-f','lavfi','-i','testsrc2=size=640x360:rate=25','-f','lavfi','-i','sine=frequency=1000:sample_rate=48000','-c:v','libx264','-preset','ultrafast','-pix_fmt','yuv420p','-g','25','-c:a','aac', ...args], { stdio: ['ignore','ignore','inherit'] }));
};
const show = async (what: string, p: Promise<{status:number; body:any}>): Promise<any> => { const t = performance.now(); const r = await p; console.log(what, r.status, Math.round(performance.now()-t)+'ms', JSON.stringify(r.body)); return r; };
const picture = async (id: number, name: string): Promise<void> => {
  const r = await fetch(`${service.url}/svcapiv2/channels/${id}/preview`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const b = Buffer.from(await r.arrayBuffer());
  console.log('preview', name, r.status, r.headers.get('content-type'), b.length, r.ok ? '' : b.toString());
  if (r.ok) writeFileSync(`/tmp/w/probe2-${name}.jpg`, b);
};
it('drive', async () => {
  const udp = await freePort(), dead = await freePort(), rtmp = await freePort();
  const stall = createServer(); await new Promise<void>((r) => stall.listen(0, '127.0.0.1', () => r()));
  const stallPort = (stall.address() as any).port;
  const a = await service.create('/channels', { name: 'udp', type: 'Stream', settings: { url: `udp://127.0.0.1:${udp}` } });
  const b = await service.create('/channels', { name: 'dead', type: 'Stream', settings: { url: `http://user:secret@127.0.0.1:${dead}/live.m3u8` } });
  const c = await service.create('/channels', { name: 'stalled', type: 'Stream', settings: { url: `http://127.0.0.1:${stallPort}/a.ts` } });
  const made = await service.rest('POST', '/channels', { name: 'OBS', type: 'RTMP-Push', settings: { app: 'live', port: rtmp } });
  const d = made.body.data.id; console.log(JSON.stringify(made.body));
  await picture(a, 'none');
  await show('dead', service.rest('POST', `/channels/${b}/probe`));
  await show('unpushed', service.rest('POST', `/channels/${d}/probe`));
  await show('stalled', service.rest('POST', `/channels/${c}/probe`));
  ff('-f','mpegts',`udp://127.0.0.1:${udp}?pkt_size=1316`);
  ff('-f','flv',`rtmp://127.0.0.1:${rtmp}/live/${made.body.data.settings.stream_key}`);
  await Promise.all([show('udp1', service.rest('POST', `/channels/${a}/probe`)), show('udp2', service.rest('POST', `/channels/${a}/probe`))]);
  await picture(a, 'udp');
  await show('channel', service.rest('GET', `/channels/${d}`));
  await picture(d, 'pushed-before');
  await show('pushed', service.rest('POST', `/channels/${d}/probe`));
  await picture(d, 'pushed');
  stall.close();
});
