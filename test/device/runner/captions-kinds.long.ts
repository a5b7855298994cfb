/** Captions that a source brings along: the same text on the same pictures, in every rendition and for every kind of receiver. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { recordingsDir } from '../../../device/run-dir.ts';
import { itLong } from '../../helpers/counts.ts';
import { readCaptions } from '../../helpers/captioned.ts';
import { captionViewer } from '../../helpers/caption-viewer.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import {
  assertCaptions,
  broadcast,
  CAPTIONS,
  datagrams,
  flvFile,
  hls,
  joined,
  lost,
  made,
  SECONDS,
  text,
  TEXTS,
} from './captioned-run.ts';
import { change } from './changing.ts';
import { rtmpSink } from './rtmp-sink.ts';
import { makeLogo } from './screen.ts';
import { LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const LINE_21 =
  '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="captions",NAME="CC1",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1"';

describe('captions of a source', { concurrency: 7 }, () => {
  it('captions of H.264 at 25 a second reach each kind of Destination at 30', async (t) => {
    const dir = folder(t);
    const udp = await datagrams(t, dir);
    const rtmp = await rtmpSink(t);
    const runner = await broadcast(t, dir, {
      from: await made(dir, { codec: 'libx264', rate: '25', services: true }),
      outputs: [
        ...[hls(), hls(22, 'CMAF'), udp.out, output(51, 'Record')],
        output(31, 'RTMP', { url: `rtmp://127.0.0.1:${rtmp.port}/live`, stream_key: 'key' }),
      ],
      renditions: [rendition(11, 320, 180, 400), rendition(12, 160, 90, 200, { fps: 15 })],
      newest: () => udp.newest(),
    });
    assert.deepEqual(lost(runner), []);

    const read = await assertCaptions(t, udp.save(), 'UDP');
    const shown = read[2]!.until - read[2]!.seconds;
    t.diagnostic(`the last one stood for ${shown.toFixed(2)} s; its source went on for ${SECONDS - CAPTIONS[2]!.at} s`);
    assert.ok(shown > 1 && shown < 4.5, 'the caption goes with its source');
    await assertCaptions(t, joined(dir, 21, '11', join(dir, 'hls.ts')), 'HLS / TS');
    await assertCaptions(t, joined(dir, 21, '12', join(dir, 'half.ts')), 'HLS / TS at 15 a second');
    await assertCaptions(t, joined(dir, 22, '256', join(dir, 'cmaf.mp4')), 'CMAF');
    writeFileSync(join(dir, 'rtmp.flv'), flvFile(rtmp.messages));
    await assertCaptions(t, join(dir, 'rtmp.flv'), 'RTMP');
    const recordings = recordingsDir(dir, LIVESTREAM_ID);
    const [file] = readdirSync(recordings).filter((name) => name.endsWith('.mp4'));
    await assertCaptions(t, join(recordings, file!), 'Record');

    for (const id of [21, 22]) {
      const master = text(dir, id, 'index.m3u8');
      assert.ok(master.includes(`${LINE_21}\n`), master);
      assert.ok(master.includes('NAME="Service 1",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="SERVICE1"'), master);
      assert.ok(master.includes('#EXT-X-VERSION:7'), master);
      assert.equal(master.match(/CLOSED-CAPTIONS="captions"/gu)?.length, 2, master);
    }
    const mpd = text(dir, 22, 'manifest.mpd');
    assert.ok(mpd.includes('<Accessibility schemeIdUri="urn:scte:dash:cc:cea-608:2015" value="CC1=und"/>'), mpd);
    assert.ok(mpd.includes('<Accessibility schemeIdUri="urn:scte:dash:cc:cea-708:2015" value="1=lang:und"/>'), mpd);

    const url = await serveLive(t, dir);
    const viewer = await captionViewer(t);
    const base = `${url}/live/${LIVESTREAM_ID}`;
    const hlsJs = async (id: number): Promise<void> => {
      const look = await viewer.hls(`${base}/${id}/index.m3u8`);
      const sight = await until(`hls.js shows captions of ${id}`, async () => {
        const seen = await look();
        assert.deepEqual(seen.errors, []);
        return seen.tracks.some(({ texts }) => texts.includes(TEXTS[1]!)) && seen;
      });
      assert.deepEqual(sight.announced, ['captions', 'captions']);
      const line21 = sight.tracks.find(({ label }) => label === 'CC1');
      assert.deepEqual([...new Set(line21?.texts)].slice(0, 2), TEXTS.slice(0, 2));
    };
    const shaka = async (): Promise<void> => {
      const look = await viewer.dash(`${base}/22/manifest.mpd`);
      const listed = await until('shaka-player lists captions', async () => {
        const { announced } = await look();
        return announced.length > 0 && announced;
      });
      // The tracks of text beside them are looked at in webvtt.long.ts.
      const inPictures = listed.filter((name) => !name.endsWith('application/mp4'));
      assert.deepEqual(inPictures.sort(), ['CC1 application/cea-608', 'svc1 application/cea-708']);
    };
    // One after the other: pages that are not in front get little time.
    await hlsJs(21);
    await hlsJs(22);
    await shaka();
  });

  itLong(
    'captions of H.264 at 59.94 a second are at 29.97 too, through a logo and past an encoder that is killed',
    async (t) => {
      const dir = folder(t);
      const udp = await datagrams(t, dir);
      const logo = makeLogo(join(dir, 'logo.png'), 32, 32, [0, 0, 200]);
      const runner = await broadcast(
        t,
        dir,
        {
          from: await made(dir, { codec: 'libx264', rate: '60000/1001' }),
          outputs: [udp.out],
          renditions: [rendition(11, 320, 180, 400, { fps: 29.97 })],
        },
        async (run) => {
          await until('the first caption', () => udp.newest() > 3.3);
          const shown = { filename: 'logo.png', path: logo, position: 'Top-Left' as const };
          assert.equal((await change(run, { type: 'picture', picture: { logo: shown } })).status, 200);
          await until('the second caption', () => udp.newest() > 4.5);
          process.kill(run.childNamed('libx264'), 'SIGKILL');
        },
      );
      assert.ok(runner.events().some(({ kind }) => kind === 'encoder_restarted'));
      await assertCaptions(t, udp.save(), 'UDP');
    },
  );

  itLong('captions of MPEG-2 are in HEVC', async (t) => {
    const dir = folder(t);
    const udp = await datagrams(t, dir);
    await broadcast(t, dir, {
      from: await made(dir, { codec: 'mpeg2video', rate: '30000/1001' }),
      outputs: [udp.out],
      renditions: [rendition(11, 320, 180, 400, { codec: 'hevc' })],
    });
    await assertCaptions(t, udp.save(), 'UDP');
  });

  itLong('captions of a file that loops are there at each turn', async (t) => {
    const dir = folder(t);
    const udp = await datagrams(t, dir);
    const captions = [{ text: 'AROUND AGAIN', at: 1.5 }];
    const from = await made(dir, { codec: 'libx264', rate: '25', seconds: 2.2, captions, white: [] });
    const spec = runSpec('loop', { ...from, settings: { ...from.settings, loop: true } }, [udp.out], {
      renditions: [rendition(11, 160, 90, 200)],
    });
    const runner = startRunner(t, dir, spec);
    await running(runner);
    await until('the third turn', () => udp.newest() > 6.3);
    await runner.stop();
    await runner.exited;
    const read = await readCaptions(udp.save());
    assert.ok(read.length >= 2, `${read.length} captions`);
    assert.deepEqual([...new Set(read.map(({ text: one }) => one))], ['AROUND AGAIN']);
  });

  itLong('captions of copied video are intact, and announced', async (t) => {
    const dir = folder(t);
    const udp = await datagrams(t, dir);
    const copied = rendition(11, 320, 180, 400, { codec: 'copy' });
    const runner = await broadcast(t, dir, {
      from: await made(dir, { codec: 'libx264', rate: '25' }),
      outputs: [hls(), hls(22, 'CMAF'), udp.out],
      renditions: [{ ...copied, audio: { ...copied.audio!, codec: 'copy' } }],
    });
    assert.deepEqual(lost(runner), []);
    await assertCaptions(t, udp.save(), 'UDP');
    for (const id of [21, 22]) assert.ok(text(dir, id, 'index.m3u8').includes(`${LINE_21}\n`));
    assert.ok(text(dir, 22, 'manifest.mpd').includes('cea-608:2015" value="CC1=und"'));
  });

  itLong('captions that VP9 cannot hold are reported once, and nothing is announced', async (t) => {
    const dir = folder(t);
    const runner = await broadcast(t, dir, {
      from: await made(dir, { codec: 'libx264', rate: '25', seconds: 4, captions: CAPTIONS.slice(0, 1) }),
      outputs: [hls(22, 'CMAF')],
      renditions: [rendition(11, 160, 90, 200, { codec: 'vp9' })],
    });
    const events = lost(runner);
    assert.equal(events.length, 1);
    assert.equal(events[0]!.channelId, 3);
    assert.ok(text(dir, 22, 'index.m3u8').includes('CLOSED-CAPTIONS=NONE'));
    assert.ok(!text(dir, 22, 'manifest.mpd').includes('Accessibility'));
  });

  it('a source without captions is announced with NONE, and its media has no caption data', async (t) => {
    const dir = folder(t);
    const udp = await datagrams(t, dir);
    const path = join(dir, 'clip.avi');
    const args = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=30', '-t', '3', '-c:v', 'mpeg4', path];
    await promisify(execFile)('ffmpeg', args);
    const runner = await broadcast(t, dir, {
      from: { channelId: 3, name: 'Clip', type: 'File', settings: { filename: 'clip.avi', loop: false }, path },
      outputs: [hls(), hls(22, 'CMAF'), udp.out],
      renditions: [rendition(11, 160, 90, 200)],
    });
    assert.deepEqual(lost(runner), []);
    assert.ok(!readFileSync(udp.save()).includes('GA94'));
    for (const id of [21, 22]) {
      const master = text(dir, id, 'index.m3u8');
      assert.ok(master.includes('CLOSED-CAPTIONS=NONE') && !master.includes('TYPE=CLOSED-CAPTIONS'), master);
    }
    assert.ok(!text(dir, 22, 'manifest.mpd').includes('Accessibility'));
  });
});
