import { Hono } from 'hono';
import { readFileSync, existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { watchApp } from '../../rest/watch.ts';
import { listen } from './world.ts';
const media = new Hono();
media.get('/live/:f', (c) => { const p = '/tmp/hls/' + c.req.param('f'); return existsSync(p) ? new Response(readFileSync(p), { headers: { 'Access-Control-Allow-Origin': '*' } }) : c.text('no', 404, { 'Access-Control-Allow-Origin': '*' }); });
const m = await listen(media);
const app = new Hono(); app.route('/', watchApp({ webDir: 'web' }));
const s = await listen(app);
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const scheme of ['light', 'dark'] as const) {
  const page = await b.newPage({ colorScheme: scheme, viewport: { width: 900, height: 760 } });
  page.on('console', (x) => console.log(scheme, x.type(), x.text()));
  page.on('pageerror', (x) => console.log('pageerror', x.message));
  const src = scheme === 'light' ? `${m.url}/live/a.m3u8` : `${m.url}/live/missing.m3u8`;
  await page.goto(`${s.url}/watch?src=${encodeURIComponent(src)}`);
  await page.waitForTimeout(9000);
  console.log(await page.textContent('#state'), '|', await page.textContent('#fault'), '|', await page.textContent('#rendition'), await page.textContent('#latency'), await page.textContent('#buffered'));
  await page.screenshot({ path: `/tmp/watch-${scheme}.png` });
  if (scheme === 'light') { await page.evaluate("document.getElementById('video').pause()"); await page.waitForTimeout(7000); await page.evaluate("document.getElementById('video').play()"); await page.waitForTimeout(700); console.log(await page.textContent('#state')); await page.click('#edge').catch(e=>console.log(String(e).slice(0,100))); await page.waitForTimeout(1500); console.log(await page.textContent('#state')); }
  await page.close();
}
const p2 = await b.newPage(); await p2.goto(`${s.url}/watch?src=${encodeURIComponent('https://evil.example/x.m3u8')}`); await p2.waitForTimeout(300); console.log(await p2.textContent('#fault'));
await p2.goto(`${s.url}/watch?src=${encodeURIComponent('javascript:alert(1)')}`); await p2.waitForTimeout(300); console.log(await p2.textContent('#fault'));
await b.close(); process.exit();
