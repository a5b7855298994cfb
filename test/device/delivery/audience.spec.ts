/** CMCD, which players send beside their requests, and who is seen at the delivery of media. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { openMediaServer } from '../../../device/agent/media-server.ts';
import { cmcdOf, parseCmcd } from '../../../device/delivery/audience/cmcd.ts';
import { playerName } from '../../../device/delivery/audience/player-names.ts';
import type { Sighting } from '../../../device/delivery/audience/sightings.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { until } from '../../helpers/until.ts';
import { temporaryFolder } from '../../store/support.ts';

it('CMCD is read in both versions, from the query and from header fields, and what cannot be read is left out', () => {
  const noHeader = (): undefined => undefined;
  const query = `x=1&CMCD=${encodeURIComponent('bl=21300,bs,ot=v,sid="6e2fb550-c457-11e9-bb97-0800200c9a66",su')}`;
  assert.deepEqual(cmcdOf(query, noHeader), {
    bl: 21_300,
    bs: true,
    ot: 'v',
    sid: '6e2fb550-c457-11e9-bb97-0800200c9a66',
    su: true,
  });
  const headers: Record<string, string> = { 'cmcd-request': 'bl=400,su', 'cmcd-session': 'sid="a,b=\\"c"' };
  assert.deepEqual(
    cmcdOf('', (name) => headers[name]),
    { bl: 400, su: true, sid: 'a,b="c' },
  );
  assert.equal(cmcdOf('token=1', noHeader), undefined);
  assert.deepEqual(parseCmcd('bl=(4000;a 5000;v),su=?0,br=(3000;v),msd=1200,v=2,ot=av'), {
    bl: 5000,
    su: false,
    msd: 1200,
    ot: 'av',
  });
  assert.deepEqual(
    parseCmcd(`sid="${'x'.repeat(65)}",bl=100`),
    { bl: 100 },
    'an id is no longer than the standard has it',
  );
  for (const wrong of ['', ',,,', 'sid="never ends', '=', '%', 'bl=,su', `${'a='.repeat(5000)}`]) parseCmcd(wrong);
  assert.equal(cmcdOf('CMCD=%E0%A4%A', noHeader)?.sid, undefined);
});

it('players have few names, whatever they call themselves', () => {
  const agents = {
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36':
      'Chrome',
    'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15': 'Safari',
    'Mozilla/5.0 (X11; rv:120.0) Gecko/20100101 Firefox/120.0': 'Firefox',
    'AppleCoreMedia/1.0.0.21A329 (iPhone; U; CPU OS 17_0 like Mac OS X)': 'Apple player',
    'VLC/3.0.20 LibVLC/3.0.20': 'VLC',
    'Lavf/59.27.100': 'ffmpeg',
    '': 'other',
  };
  assert.deepEqual(Object.keys(agents).map(playerName), Object.values(agents));
});

it('each player that gets media is seen once a second by what tells it apart, and nobody is who is refused or belongs to the page', async (t) => {
  const dir = await temporaryFolder(t);
  const folder = join(liveDir(dir, 12, 3), '11');
  mkdirSync(folder, { recursive: true });
  for (const name of ['index.m3u8', '1.ts', 'init-1.mp4']) writeFileSync(join(folder, name), name);
  const seen: Sighting[] = [];
  const server = await openMediaServer({
    deviceDir: dir,
    host: '127.0.0.1',
    port: 0,
    formerPort: 0,
    onSeen: (batch) => seen.push(...batch),
    log: silentLog,
  });
  cleanUp(t, () => server.close());
  const ask = (file: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${server.url}/live/12/3/11/${file}`, { headers: { 'user-agent': 'VLC/3', ...headers } });
  const cmcd = encodeURIComponent('sid="one",bl=1000,ot=v');
  await ask(`1.ts?CMCD=${cmcd}`);
  await ask(`1.ts?CMCD=${cmcd}`);
  await ask('1.ts', { 'cmcd-session': 'sid="two"', via: '1.1 cache' });
  await ask('index.m3u8');
  await ask('1.ts?token=abc');
  await ask('2.ts?CMCD=sid%3D%22none%22');
  await ask('1.ts', { 'user-agent': 'onair-page' });
  await until('all are seen', () => seen.length >= 4);
  const short = seen.map(({ by, key, agent, folders, isCached, cmcd: things }) => ({
    by,
    key,
    agent,
    folders,
    isCached,
    cmcd: things.length,
  }));
  const vlc = { agent: 'VLC/3', folders: ['11'], isCached: false, cmcd: 0 };
  assert.deepEqual(short, [
    { ...vlc, by: 'session', key: 'one', cmcd: 2 },
    { ...vlc, by: 'session', key: 'two', isCached: true, cmcd: 1 },
    { ...vlc, by: 'address', key: '127.0.0.1\nVLC/3', folders: [] },
    { ...vlc, by: 'token', key: 'abc' },
  ]);
  assert.ok(seen.every(({ livestreamId, publishingId }) => livestreamId === 12 && publishingId === 3));
  const { headers } = await fetch(`${server.url}/live/12/3/11/1.ts`, { method: 'OPTIONS' });
  assert.match(
    headers.get('access-control-allow-headers') ?? '',
    /CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session/u,
  );
});
