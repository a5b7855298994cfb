/** The pictures of a broadcast on air, from its runner through agent and server to a page. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { letPass } from '../helpers/pass.ts';
import { readPictures, type PictureReader } from '../helpers/picture-reader.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const BLACKOUT = 8;

describe('pictures of a broadcast on air', () => {
  let service: Service;
  let show: SmallBroadcast;
  let reader: PictureReader | undefined;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service);
  });

  after(async () => {
    await reader?.close();
    await service.dispose();
  });

  it('a page that waits for a Live stream sees it from its start to its end, with a blackout between', async (t) => {
    const { livestreamId } = show;
    const pictures = await readPictures(service.url, `${livestreamId}:320:5`, { authorization: `Bearer ${TOKEN}` });
    reader = pictures;
    assert.equal(pictures.response.status, 200);
    await goOnAir(service, livestreamId);
    const first = await pictures.next('a picture', ({ peaks }) => peaks[0] > -600);
    assert.deepEqual([first.livestreamId, first.width, first.flags, first.rest], [livestreamId, 320, 0, 0]);
    t.diagnostic(
      `${first.jpeg.length} bytes, ${Math.round(Date.now() - first.takenAt)} ms after the frame went to the encoder`,
    );
    assert.ok(brightness(first.jpeg) > 60);
    const path = `/livestreams/${livestreamId}/runtimeOptions/blackout`;
    assert.equal((await service.rest('POST', path, { mode: 'Black Frame' })).status, 200);
    const black = await pictures.next('a black picture', ({ flags }) => (flags & BLACKOUT) !== 0);
    assert.ok(brightness(black.jpeg) < 4);
    assert.equal((await service.rest('POST', `/livestreams/${livestreamId}/stop`, {})).status, 200);
    await until('status 0', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
      return body.data.status === 0;
    });
    const count = pictures.pictures.length;
    await letPass(1000);
    assert.ok(pictures.pictures.length <= count + 1);
    assert.equal(pictures.hasEnded(), false, 'the next broadcast is waited for');
  });
});

/** Mean of all pixels, of 255. */
function brightness(jpeg: Buffer): number {
  const args = [
    '-v',
    'error',
    '-f',
    'mjpeg',
    '-i',
    '-',
    '-vf',
    'scale=1:1:flags=area,format=gray',
    '-f',
    'rawvideo',
    '-',
  ];
  return execFileSync('ffmpeg', args, { input: jpeg })[0]!;
}
