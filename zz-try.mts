import { startService, makeClip, TOKEN, PROGRAM, until } from './test/helpers/service.ts';
import { SMALL_VIDEO, uploadClip, smallBroadcast } from './test/helpers/broadcast.ts';
import { readFileSync } from 'node:fs';
const s = await startService();
try {
const b: any = await smallBroadcast(s);
console.log(b);
const id = b.livestreamId;
await s.rest('POST', `/livestreams/${id}/start`, {});
await until('on air', async () => (await s.rest('GET', `/livestreams/${id}`)).body.data.status === 2);
console.log((await s.rest('GET', `/livestreams/${id}`)).body.data);
const put = async (b: any) => { const r = await s.rest('PUT', `/livestreams/${id}/options`, b); console.log(JSON.stringify(b), r.status, r.body.data?.in_force, JSON.stringify(r.body.data?.notes ?? r.body)); };
await put({ fallback: { mode: 'slate' }, scteMarkers: true });
await put({ logo: { filename: '' } });
await put({ logo: { filename: null } });
await put({ logo: null });
await put({ overlay: { text: 'Hello', visible: true, position: 'Top' } });
await put({ overlay: { visible: false } });
await put({ overlay: { text: 'Other' } });
await put({ overlay: null });
await put({ fallback: { mode: 'none' } });
await put({ fallback: { mode: 'none' } });
await put({ crop: { left: 10, right: 0, top: 0, bottom: 0 } });
const t = await s.rest('POST', `/livestreams/${id}/text`, { action: 'hide' }); console.log(t.status, JSON.stringify(t.body).slice(-200));
for (const l of [{ logo: { filename: '' } }, { logo: { filename: null } }, {logo: {filename:'', position: 'Left'}}]) { const r = await s.rest('POST', `/livestreams/${id}/runtimeOptions/logo`, l); console.log(JSON.stringify(l), r.status, JSON.stringify(r.body).slice(-300)); }
await new Promise(r => setTimeout(r, 1500));
console.log((await s.rest('GET', `/livestreams/${id}/events?pageSize=50&sort=id`)).body.rows.map((e: any) => `     ${e.at.slice(17)} ${e.kind}: ${e.message} ${JSON.stringify(e.data)}`).join('\n'));
} finally { await s.dispose(); }
