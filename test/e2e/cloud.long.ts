/** A broadcast on the cloud platform, which is a second deployment of this service: its own data folder, its own Device. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { mediaPlaylist, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { makeClip, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';

describe('a broadcast on the cloud platform', () => {
  let platform: Service;
  let site: Service;
  let show: SmallBroadcast;
  let cloudAccountId: number;
  let rtmp: RtmpServer;

  before(async () => {
    rtmp = await startRtmp();
    platform = await startService();
    const userId = await platform.create('/users', { username: 'station', email: 'station@example.org' });
    const token = await platform.rest('POST', '/security/tokens', { name: 'for the site', userId });
    assert.equal(token.status, 201, JSON.stringify(token.body));
    site = await startService({ ONAIR_CLOUD_URL: platform.url });
    show = await smallBroadcast(site, [
      { name: 'lp', type: 'CMAF', settings: { segment_duration: 2 } },
      { name: 'social', type: 'RTMP', settings: { url: rtmp.url, stream_key: 'canary-first-key' } },
    ]);
    cloudAccountId = await site.create('/settings/integrations/cloud', {
      client: 'Station',
      client_id: String(userId),
      password: token.body.data.token,
    });
  });
  after(async () => {
    await site?.dispose();
    await platform?.dispose();
    await rtmp?.dispose();
  });

  const start = (body: object) => site.rest('POST', `/livestreams/${show.livestreamId}/start`, body);
  const onPlatform = async (path: string): Promise<{ name: string; id: number }[]> => {
    return (await platform.rest('GET', path)).body.rows;
  };

  it('a broadcast on the cloud platform is refused until the account is validated', async () => {
    const { status, body } = await start({ cloudAccountId });
    assert.equal(status, 503, JSON.stringify(body));
    assert.match(body.detail, /Cloud account 1 "Station" is not validated.*validateCloudAccount/u);
    const both = await start({ cloudAccountId, deviceId: 1 });
    assert.deepEqual([both.status, both.body.errors?.[0]?.field], [400, 'cloudAccountId']);
    const checked = await site.rest('POST', `/settings/integrations/cloud/${cloudAccountId}/validate`);
    assert.equal(checked.body.data.validation_status, 'VALID', JSON.stringify(checked.body));
  });

  it('a broadcast on the cloud platform goes on air there, and is watched there', async () => {
    // The platform is known to answer a moment after the account is valid.
    const startConfig = [0, 1, 2].map((at) => ({
      publishingId: show.publishingId + at,
      ...(at === 0 && { qualities: [1] }),
    }));
    await until('the start is taken', async () => (await start({ cloudAccountId, startConfig })).status === 202);
    await until('status 2', async () => {
      const { status, errorstatus } = await statusOf(site, show.livestreamId);
      if (status === 3) throw new Error(`the start failed: ${errorstatus}`);
      return status === 2;
    });
    const { deviceId, publishings } = await until('all are up', async () => {
      const { body } = await site.rest('GET', `/livestreams/${show.livestreamId}/status`);
      return body.data.publishings.every(({ primary }: any) => primary.state === 'up') && body.data;
    });
    assert.equal(deviceId, null);
    assert.deepEqual(
      publishings.map(({ name }: any) => name),
      ['web', 'lp', 'social'],
    );
    const held = await site.rest('DELETE', `/settings/integrations/cloud/${cloudAccountId}`);
    assert.deepEqual([held.status, held.body.code], [409, 'in_use']);
    const [remote] = await onPlatform('/livestreams');
    assert.match(remote!.name, /^onair:/u);
    const [web] = await onPlatform('/publishings?search=publishing');
    const master = `${platform.url}/live/${remote!.id}/${web!.id}/index.m3u8`;
    assert.ok((await mediaPlaylist(master)).segments.length > 0);
    const variants = (await (await fetch(master)).text()).split('#EXT-X-STREAM-INF').length - 1;
    assert.equal(variants, 1, 'the one quality that was asked for');
  });

  it('a broadcast on the cloud platform is changed there while it is on air', async () => {
    const at = `/livestreams/${show.livestreamId}/runtimeOptions`;
    const toggled = await site.rest('POST', `${at}/publishings`, {
      publishings: [{ publishingId: show.publishingId + 1, primary: false }],
    });
    assert.equal(toggled.status, 200, JSON.stringify(toggled.body));
    const black = await site.rest('POST', `${at}/blackout`, { mode: 'Black Frame' });
    assert.equal(black.status, 200, JSON.stringify(black.body));
    await until('both are told', async () => {
      const { body } = await site.rest('GET', `/livestreams/${show.livestreamId}/status`);
      const { publishings, runtime } = body.data;
      return runtime.blackout === 'Black Frame' && publishings[1].primary.enabled === false;
    });
    const refused = await site.rest('POST', `${at}/logo`, { logo: { filename: 'none.png', position: 'Top-Left' } });
    assert.ok(refused.status >= 400);
  });

  it('a broadcast on the cloud platform gets a new stream key there while it is on air', async () => {
    assert.deepEqual(await rtmp.publishing(), ['canary-first-key']);
    const args = { livestream: 'Show', destination: 'social', stream_key: 'canary-second-key' };
    const response = await fetch(`${site.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'update_destination_stream_key', arguments: args },
      }),
    });
    const { result } = (await response.json()) as any;
    assert.equal(result.isError, undefined, JSON.stringify(result));
    assert.equal(result.structuredContent.live[0].in_force, 'now', JSON.stringify(result));
    await until('the new key alone', async () => (await rtmp.publishing()).join() === 'canary-second-key');
    assert.ok(!(platform.output() + site.output()).includes('canary-'), 'no key in a log');
  });

  it('a broadcast on the cloud platform goes on through a restart of the service, which finds it again', async () => {
    const [before] = await onPlatform('/livestreams');
    await site.kill('SIGKILL');
    await site.restart();
    await until('it is told again', async () => {
      const { body } = await site.rest('GET', `/livestreams/${show.livestreamId}/status`);
      return body.data.status === 2 && body.data.publishings.length === 3;
    });
    assert.deepEqual(
      (await onPlatform('/livestreams')).map(({ id }) => id),
      [before!.id],
    );
  });

  it('a broadcast on the cloud platform goes on while that cannot be reached, and is stopped once it can', async () => {
    await platform.kill('SIGKILL');
    const request = await site.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    assert.ok(request.status < 300, JSON.stringify(request.body));
    assert.equal((await statusOf(site, show.livestreamId)).status, 2);
    await platform.restart();
    await until('stopped', async () => (await statusOf(site, show.livestreamId)).status === 0);
    await until('nothing is left there', async () => {
      const paths = wordsOf('livestreams publishings publishings/groups encodings encodings/groups channels assets');
      const left = await Promise.all(paths.map((path) => onPlatform(`/${path}`)));
      return left.every((rows) => rows.length === 0);
    });
    const { body } = await site.rest('GET', `/livestreams/${show.livestreamId}/events?pageSize=200`);
    assert.ok(!JSON.stringify(body).includes('canary'));
  });

  it('a broadcast on the cloud platform takes a source that is sent to the platform', async () => {
    const clip = makeClip(join(site.scratch, 'pushed.mp4'));
    const { status, body } = await site.rest('POST', '/channels', {
      name: 'Pushed',
      type: 'SRT Cloud',
      settings: { cloudAccountId, port: 29_881, passphrase: 'canary-passphrase', encryption: 128 },
    });
    assert.equal(status, 201, JSON.stringify(body));
    await site.rest('PUT', `/livestreams/${show.livestreamId}`, { channelId: body.data.id });
    // The platform was restarted before; the service finds that out in its own time.
    const reply = await until('the platform answers', async () => {
      const { status: code, body: answer } = await start({});
      return code !== 503 && { code, answer };
    });
    assert.equal(reply.code, 202, 'the Channel says where: ' + JSON.stringify(reply.answer));
    const args = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', clip, '-c', 'copy', '-f', 'mpegts'];
    const url = 'srt://127.0.0.1:29881?passphrase=canary-passphrase&pbkeylen=16';
    const pusher = spawn('sh', ['-c', `while :; do ffmpeg ${args.join(' ')} '${url}'; sleep 0.3; done`], {
      stdio: 'ignore',
      detached: true,
    });
    try {
      await until('status 2', async () => (await statusOf(site, show.livestreamId)).status === 2);
    } finally {
      execFileSync('kill', ['--', `-${pusher.pid}`]);
    }
    await site.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(site, show.livestreamId)).status === 0);
    assert.ok(!platform.output().includes('canary-passphrase') && !site.output().includes('canary-passphrase'));
  });
});
