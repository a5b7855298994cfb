/** Stream Channels over datagrams: transport streams by UDP multicast and by RTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { someOf } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { feed } from './feeder.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { freePort } from '../../helpers/ports.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

const KINDS = [
  ['UDP multicast', 'mpegts', (port: number) => `udp://239.255.77.3:${port}?localaddr=127.0.0.1`],
  ['RTP', 'rtp_mpegts', (port: number) => `rtp://127.0.0.1:${port}`],
] as const;
for (const [name, muxer, addressOf] of someOf(KINDS, 1)) {
  test(`a source by ${name} goes on air, is lost to the slate, and comes back`, async (t) => {
    const dir = folder(t);
    const file = clip(dir);
    // RTP wants an even port, with its control port beside it.
    const port = (await freePort()) & ~1;
    const address = addressOf(port);
    const pushed = muxer === 'mpegts' ? `${address}&pkt_size=1316` : address;
    const push = (): ReturnType<typeof feed> => feed(t, file, '-f', muxer, pushed);
    const first = push();
    const runner = startRunner(t, dir, runSpec('datagrams', source('Stream', { url: address }), HLS, SMALL));
    await running(runner);
    await until('the picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
    // The kernel counts no bytes of datagrams, and ffmpeg no bytes of RTP.
    if (muxer === 'mpegts')
      await until('its rate is known', async () => (await runner.report()).source.bitrate_kbps > 20);
    first.kill();
    await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
    await until('the slate is on air', () => lastBrightness(rendered(dir).at(-1)!) < 45);
    assert.equal((await runner.report()).phase, 'running');
    push();
    await until('source_restored', () => runner.events().some(({ kind }) => kind === 'source_restored'));
    await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  });
}
