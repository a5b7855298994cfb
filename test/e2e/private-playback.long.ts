/** Private playback, all of it real: broadcast, tokens, and players on a page of another origin. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { goOnAir, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { playerPages } from '../helpers/player-page.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const PUBLIC_URL = 'https://live.example';
const settings = { segment_duration: 2 };
const run = promisify(execFile);

describe('playback with a token', () => {
  let service: Service;
  let show: SmallBroadcast;
  /** Counts by type. */
  const ids: Record<string, number> = {};

  before(async () => {
    // As behind a proxy that speaks TLS: addresses are those of viewers, who reach this server's port through it.
    service = await startService({ ONAIR_PUBLIC_URL: PUBLIC_URL });
    const extra = ['HLS / TS', 'CMAF', 'DASH'].map((type) => ({
      name: `guests ${type}`,
      type,
      access: 'token',
      settings,
    }));
    show = await smallBroadcast(service, extra);
    const { body } = await service.rest('GET', '/publishings?search=guests');
    for (const { id, type } of body.rows as { id: number; type: string }[]) ids[type] = id;
  });
  after(async () => {
    await service.dispose();
  });

  /** As it is given out, on this server's port. */
  async function link(type: string, seconds?: number): Promise<{ url: string; expires_at: string }> {
    const body = { publishingId: ids[type], ...(seconds !== undefined && { expires_in: seconds }) };
    const reply = await service.rest('POST', `/livestreams/${show.livestreamId}/playbackLinks`, body);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return { url: behindProxy(reply.body.data.url as string), expires_at: reply.body.data.expires_at as string };
  }

  /** The proxy's form of an address that was given out. */
  function behindProxy(url: string): string {
    assert.ok(url.startsWith(`${PUBLIC_URL}/live/`), url);
    return url.replace(PUBLIC_URL, service.url);
  }

  async function called(name: string, args: object): Promise<Answer> {
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    const message = JSON.parse(/\{.*\}/su.exec(await response.text())?.[0] ?? '{}') as {
      result: { structuredContent: Answer };
    };
    return message.result.structuredContent;
  }

  it('private playback has links before it is on air, and token addresses then', async () => {
    assert.match((await link('CMAF')).url, /\/live\/\d+\/\d+\/index\.m3u8\?token=\d+\.[\w-]{43}$/u);
    await goOnAir(service, show.livestreamId);
    const call = { livestream: show.livestreamId };
    const { watch } = await until('all to be watched', async () => {
      const answer = await called('start_livestream', call);
      return answer.watch.length === 4 && answer;
    });
    const status = await called('get_livestream_status', call);
    assert.deepEqual(
      status.watch.map(({ publishingId }) => publishingId),
      watch.map(({ publishingId }) => publishingId),
    );
    for (const { publishingId, expires_at, ...address } of watch) {
      const url = behindProxy(address.url);
      const reply = await fetch(url);
      assert.equal(reply.status, 200, url);
      await reply.text();
      assert.equal(expires_at === null, publishingId === show.publishingId, url);
      if (expires_at !== null) assert.equal((await fetch(url.replace(/\?.*/u, ''))).status, 403);
    }
  });

  it('hls.js, shaka-player and ffmpeg play a private stream over several segments', async (t) => {
    const pages = await playerPages();
    t.after(() => pages.close());
    const cases = [
      ['hls.js', 'HLS / TS'],
      ['hls.js', 'CMAF'],
      ['shaka', 'CMAF'],
      ['shaka', 'DASH'],
    ] as const;
    const screens = await Promise.all(
      cases.map(async ([player, type]) => ({
        player,
        type,
        page: await pages.watch(player, (await link(type)).url),
      })),
    );
    const ffmpegs = Promise.all(
      Object.keys(ids).map(async (type) => {
        const { url } = await link(type);
        // Signed in, through the server as well, where no address has a token.
        const through = new URL(url.replace('/live/', '/svcapiv2/feed/live/'));
        through.search = '';
        const signed = ['-headers', `Authorization: Bearer ${TOKEN}\r\n`, '-i', through.href];
        for (const input of [['-i', url], signed]) {
          const args = ['-nostdin', '-v', 'error', ...input, '-t', '6', '-c', 'copy', '-f', 'null', '-'];
          const { stderr } = await run('ffmpeg', args);
          assert.doesNotMatch(stderr, /HTTP error [45]|Server returned [45]/u, type);
        }
      }),
    );
    const watched = screens.map(async ({ player, type, page }) => {
      const first = await until(`${player} plays ${type}`, async () => {
        const seen = await page.look();
        assert.deepEqual(seen.errors, [], `${player} ${type}`);
        return seen.currentTime > 0 && seen.frames > 0 && seen;
      });
      // Segments of two seconds: more than two of them, which no list named at the beginning.
      await until(`${player} goes on with ${type}`, async () => {
        const seen = await page.look();
        assert.deepEqual(seen.errors, [], `${player} ${type}`);
        return seen.currentTime > first.currentTime + 5;
      });
      await page.close();
    });
    await Promise.all([...watched, ffmpegs]);
  });

  it('private playback is refused where viewers would not be asked for a token', async () => {
    const refused = async (body: object): Promise<[number, string]> => {
      const reply = await service.rest('POST', '/publishings', { name: 'refused', access: 'token', ...body });
      return [reply.status, reply.body.errors[0].field as string];
    };
    const url = 'rtmp://127.0.0.1/live';
    assert.deepEqual(await refused({ type: 'RTMP', settings: { url } }), [422, 'access']);
    assert.deepEqual(await refused({ type: 'CMAF', settings: { url: 'http://127.0.0.1/live' } }), [422, 'access']);
    const links = `/livestreams/${show.livestreamId}/playbackLinks`;
    const open = await service.rest('POST', links, { publishingId: show.publishingId });
    assert.equal(open.status, 422);
    assert.match(open.body.detail as string, /is public: everybody may watch it at http\S+index\.m3u8\./u);
    const long = await service.rest('POST', links, { publishingId: ids['CMAF'], expires_in: 604_801 });
    assert.equal(long.status, 400);
  });
});

interface Answer {
  watch: { publishingId: number; url: string; expires_at: string | null }[];
}
