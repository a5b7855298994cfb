/** A camera by RTSP on air: its server goes and comes back, and nothing shows its password; and a look at it before. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { keepNetworks } from '../../../device/network-rules.ts';
import { probeSource } from '../../../device/probe/probe.ts';
import { freePort } from '../../helpers/ports.ts';
import { rtspServerMissing, startRtspServer } from '../../helpers/servers/rtsp-gstreamer.ts';
import { until } from '../../helpers/until.ts';
import { clip, everyCommandLine, folder, running, startRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)], startTimeoutSeconds: 60 };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const CAMERA = { user: 'viewer', password: 'canary-7' };

describe('a source by RTSP', { skip: rtspServerMissing, concurrency: 3 }, () => {
  it('an RTSP source that is gone and back is taken in again, and its password stands nowhere', async (t) => {
    const dir = folder(t);
    const port = await freePort();
    const camera = { port, ...CAMERA };
    const server = await startRtspServer(t, clip(dir), camera);
    const from = source('Stream', { url: `rtsp://viewer:${CAMERA.password}@127.0.0.1:${port}/live` });
    const runner = startRunner(t, dir, runSpec('rtsp', from, HLS, SMALL));
    const report = await running(runner);
    assert.ok(!everyCommandLine().includes('canary'));
    const count = (kind: string): number => runner.events().filter((event) => event.kind === kind).length;
    await server.kill();
    await until('source_lost', () => count('source_lost') > 0);
    await startRtspServer(t, clip(dir), camera);
    await until('source_restored', () => count('source_restored') > 0);
    const later = await until('the rate of the source', async () => {
      const found = await runner.report();
      return found.source.fps > 20 && found;
    });
    assert.ok(!JSON.stringify([report, later]).includes('canary'));
    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
    for (const path of [runner.files.events, runner.files.log, runner.files.final])
      if (existsSync(path)) assert.ok(!readFileSync(path, 'utf8').includes('canary'), path);
  });

  it('a wrong password ends a start with the reason alone, and a network that is refused before a connection', async (t) => {
    const dir = folder(t);
    const { port } = await startRtspServer(t, clip(dir), { user: 'viewer', password: 'right' });
    const failed = async (name: string, url: string, where: string): Promise<string> => {
      const more = { ...SMALL, startTimeoutSeconds: 20 };
      const runner = startRunner(t, where, runSpec(name, source('Stream', { url }), HLS, more));
      await runner.exited;
      const texts = [runner.files.final, runner.files.log, runner.files.events].map((path) =>
        readFileSync(path, 'utf8'),
      );
      assert.ok(!texts.join('\n').includes('canary'));
      return (JSON.parse(texts[0]!) as RunReport).error!;
    };
    const url = `rtsp://viewer:canary-8@127.0.0.1:${port}/live`;
    const closed = folder(t);
    keepNetworks(closed, '!127.0.0.1');
    const [wrong, refused] = await Promise.all([failed('wrong', url, dir), failed('closed', url, closed)]);
    assert.match(wrong, /its server refuses the user name or the password \(401 Unauthorized\)/u);
    assert.match(refused, /127\.0\.0\.1 is in a network that is refused/u);
  });

  it('a look at an RTSP source says what it is', async (t) => {
    const dir = folder(t);
    const { port } = await startRtspServer(t, clip(dir), { user: 'viewer', password: 'canary-9', transports: ['udp'] });
    const of = (password: string): Parameters<typeof probeSource>[0] =>
      source('Stream', { url: `rtsp://viewer:${password}@127.0.0.1:${port}/live` });
    const facts = await probeSource(of('canary-9'), { deviceDir: dir });
    assert.deepEqual([facts.video?.codec, facts.video?.width, facts.video?.height], ['h264', 320, 180]);
    // The rate comes from the instants at which the server sends, which a busy machine moves.
    assert.ok((facts.video?.fps ?? 0) > 0);
    assert.deepEqual([facts.audio[0]?.codec, facts.audio[0]?.channels], ['aac', 1]);
    await assert.rejects(probeSource(of('canary-not'), { deviceDir: dir }), (error: Error) => {
      assert.match(error.message, /refuses the user name or the password/u);
      return !error.message.includes('canary');
    });
  });
});
