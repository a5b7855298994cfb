/** `onair new` against a real server: by flags, by questions on a terminal, to a real RTMP server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { onair, type Ended } from '../helpers/cli.ts';
import { freePort } from '../helpers/ports.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { makeClip, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { onTerminal } from '../helpers/terminal.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';

const KEY = 'secret-of-the-test-4711';
const TWICE = ['--source', 'rtmp-push', '--to', 'twitch', '--to', 'youtube'];

interface Saved {
  stream_key: string | null;
}

describe('onair new', () => {
  let service: Service;
  let rtmp: RtmpServer;
  let clip: string;
  before(async () => {
    [service, rtmp] = await Promise.all([startService(), startRtmp()]);
    rtmp.keys.add(KEY);
    clip = makeClip(join(service.scratch, 'talk.mp4'), 8, '640x360');
  });
  after(async () => {
    await service.dispose();
    await rtmp.dispose();
  });

  const run = (words: string[], input = ''): Promise<Ended> => onair(['new', ...words], service.env, { input });
  const rows = async (list: string): Promise<Record<string, unknown>[]> =>
    (await service.rest('GET', `/${list}`)).body.rows as Record<string, unknown>[];

  it('a missing source, destination, address or key is exit 2 that names it, and nothing is set up', async () => {
    const cases: [string[], RegExp][] = [
      [[], /--source.*--to/su],
      [['--source', clip], /--to: is needed/u],
      [['--source', clip, '--to', 'tiktok'], /--url: is needed/u],
      [['--source', clip, '--to', 'youtube'], /--key: is needed/u],
      [['--source', clip, '--to', 'nowhere'], /youtube/u],
      [['--source', clip, '--to', 'youtube', '--key', KEY], /--key: takes - alone/u],
      [['--source', clip, '--to', 'hls', '--quality', '8k'], /1080p60/u],
      [[...TWICE, '--key-file', keyFile()], /--key-file: must say which --to it is for, such as .*twitch=/u],
      [[...TWICE, '--to', 'twitch'], /names twitch twice/u],
      [[...TWICE, '--key-file', `twitch=${keyFile()}`], /YouTube gives a stream key/u],
      [['--source', clip, '--to', 'hls', '--when', 'soon'], /tomorrow 20:00/u],
    ];
    for (const [words, message] of cases) {
      const { code, stdout, stderr } = await run(words);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, new RegExp(KEY, 'u'));
    }
    assert.equal((await run(['--source', 'no such thing', '--to', 'hls'])).code, 3);
    assert.deepEqual(await rows('livestreams'), []);
  });

  it('a file goes on air to an RTMP server by one command, with the key by stdin, and the key is printed nowhere', async () => {
    const words = ['--name', 'Talk', '--source', clip, '--to', 'rtmp', '--url', rtmp.keyedUrl, '--key', '-', '--start'];
    const { code, stdout, stderr } = await run(words, `${KEY}\n`);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^"Talk" is on air\.\n/u);
    assert.match(stdout, /addPublishing Talk out/u);
    assert.match(stderr, /As one command: onair new --name Talk .* --key - --start/u);
    assert.doesNotMatch(stdout + stderr, new RegExp(KEY, 'u'));
    assert.deepEqual(
      await until('a publisher', async () => {
        const names = await rtmp.publishing();
        return names.length > 0 ? names : undefined;
      }),
      [KEY],
    );
    await service.rest('POST', '/livestreams/1/stop');
    const again = await run(words, `${KEY}\n`);
    assert.deepEqual([again.code, again.stdout], [5, '']);
    assert.match(again.stderr, /There is a Live stream "Talk" already\.\n {2}corrected: onair start Talk\n/u);
    assert.deepEqual((await rows('livestreams')).length, 1);
  });

  it('several destinations are a group, each with the key that names it, from a file or stdin', async () => {
    const keys = ['--key-file', `youtube=${keyFile()}`, '--key', '-'];
    const words = ['--name', 'Both', ...TWICE, '--to', rtmp.url, ...keys, '--no-start'];
    const { code, stdout, stderr } = await run(words, 'twitch=live_4711=b\n');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /addPublishingGroup Both outputs/u);
    const made = (await rows('publishings')).filter(({ name }) => String(name).startsWith('Both '));
    assert.deepEqual(
      made.map(({ name, template, settings }) => [name, template, (settings as Saved).stream_key]),
      [
        ['Both Twitch', 'twitch', '****11=b'],
        ['Both YouTube', 'youtube', '****4711'],
        ['Both out', null, null],
      ],
    );
    const [group] = (await rows('publishings/groups')) as { elements: number[] }[];
    assert.deepEqual(
      group?.elements,
      made.map(({ id }) => id),
    );
    assert.match(stderr, /--to twitch --to youtube --key-file 'youtube=\S+' --to rtmp:\S+ --key - --no-start/u);
    const file = ['--name', 'Sent', '--source', clip, '--to', 'hls', '--to', rtmp.url, '--dry-run'];
    const sent = await run(file);
    assert.match(sent.stdout, /Sent web.*Sent out/su, sent.stderr);
  });

  it('--dry-run tells the plan as JSON and makes nothing; a Channel is named', async () => {
    await service.create('/channels', { name: 'Cam 1', type: 'Stream', settings: { url: 'http://127.0.0.1:9/a.ts' } });
    const before = (await rows('livestreams')).length;
    const words = ['--source', 'Cam 1', '--to', 'x', '--url', 'rtmp://in.example.test/x', '--key-file', keyFile()];
    const { code, stdout, stderr } = await run([...words, ...wordsOf('--quality 1080p60 --record --dry-run -o json')]);
    assert.equal(code, 0, stderr);
    const plan = JSON.parse(stdout) as { name: string; steps: { operationId: string }[]; warnings: object[] };
    assert.deepEqual([plan.name, plan.warnings], ['Cam 1', []]);
    assert.ok(plan.steps.some(({ operationId }) => operationId === 'addPublishingGroup'));
    assert.equal((await rows('livestreams')).length, before);
  });

  it('--when makes a Schedule in the zone of the server; --no-start starts nothing', async () => {
    const words = [...wordsOf('--name Mass --source rtmp-push --to hls --when'), 'tomorrow 20:00', '--end', '+90m'];
    const { code, stdout, stderr } = await run([...words, '--recurrence', 'weekly', '--no-start']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"Mass" is set up\./u);
    assert.match(stdout, /Encoders push to rtmp:\/\//u);
    const [schedule] = (await rows('schedules')) as { start: string; end: string; recurrence: { type: string } }[];
    assert.equal(Date.parse(schedule!.end) - Date.parse(schedule!.start), 90 * 60_000);
    assert.equal(schedule!.recurrence.type, 'weekly');
  });

  it('a start that fails is exit 5, and what was made stays', async () => {
    await service.create('/channels', { name: 'Off', type: 'RTMP-Push', settings: { app: 'off' }, enabled: false });
    const { code, stderr } = await run(['--name', 'Dead', '--source', 'Off', '--to', 'hls', '--start']);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /"Dead" is set up, but it is not on air/u);
    assert.ok((await rows('livestreams')).some(({ name }) => name === 'Dead'));
  });

  it('an address is looked at before: what comes, its warnings with a remedy, and nothing of a password in it', async (t) => {
    const words = ['--source', await serveTs(t), '--to', 'hls', '--dry-run', '-o', 'json'];
    // A busy machine may have nothing to tell within the time of one look.
    const { stdout, stderr } = await until('it is seen', async () => {
      const looked = await run(words);
      assert.equal(looked.code, 0, looked.stderr);
      return looked.stderr.includes('Nothing comes') ? undefined : looked;
    });
    assert.match(
      stderr,
      /onair: It sends 640×360 h264 at 30 frames a second, sound: aac 48 kHz in 1 channel, \d+ kbit\/s/u,
    );
    const { source } = JSON.parse(stdout) as { source: { probe: { video: { height: number }; audio: object[] } } };
    assert.deepEqual([source.probe.video.height, source.probe.audio.length], [360, 1]);
    const silent = `rtsp://camera:${KEY}@127.0.0.1:9/one`;
    const quiet = ['--source', silent, '--to', 'hls', '--no-start', '--name', 'Silent', '--yes'];
    const { code: silentCode, stdout: set, stderr: warned } = await run(quiet);
    assert.equal(silentCode, 0, warned);
    assert.match(warned, /onair: Nothing comes from the source now\..*refuses the connection/u);
    assert.match(warned, /It can be set up all the same/u);
    assert.match(set, /^"Silent" is set up\./u);
    assert.doesNotMatch(warned + set, new RegExp(KEY, 'u'));
  });

  /** Answers each question of the terminal once it is shown, and resolves with all that was shown. */
  async function answerAll(words: readonly string[], answers: readonly [RegExp, string][]): Promise<string> {
    const shown = onTerminal([process.execPath, PROGRAM, 'new', ...words], { ...service.env, NO_COLOR: '1' });
    let seen = 0;
    for (const [question, answer] of answers) {
      await until(`the question ${question}`, () => question.test(shown.screen().slice(seen)));
      seen = shown.screen().length;
      shown.process.stdin?.write(`${answer}\r`);
    }
    return shown.ended;
  }

  it('on a terminal it asks for what is missing, looks at a file, types the key unseen, and prints the command', async () => {
    const screen = await answerAll(
      ['--name', 'Asked', '--no-start'],
      [
        [/Source \(/u, clip],
        [/Where to \(/u, 'twitch'],
        [/Stream key of Twitch/u, KEY],
        [/this source: low-bandwidth; empty: no larger\): /u, '480p'],
        [/Record it as well/u, 'y'],
        [/When \(/u, ''],
        [/Set it up\?/u, 'y'],
      ],
    );
    assert.match(screen, /talk\.mp4 has 640×360 h264, sound: mp4a, 8 s\./u);
    assert.match(screen, /"Asked" is set up\./u);
    assert.match(screen, /onair new --name Asked .*--to twitch --key - --quality 480p --record --no-start/u);
    assert.doesNotMatch(screen, new RegExp(KEY, 'u'));
    const twitch = (await rows('publishings')).find(({ name }) => name === 'Asked Twitch');
    assert.equal(twitch?.['template'], 'twitch');
  });

  it('on a terminal somebody with OBS sets up every Sunday on YouTube without an id; a wrong answer is asked again', async () => {
    const screen = await answerAll(
      ['--key', '-'],
      [
        [/Source \(/u, 'rtmp-psh'],
        [/There is no file, Channel or Asset "rtmp-psh".*Source \(/su, 'rtmp-push'],
        [/Name of the broadcast/u, 'Talk'],
        [/a Live stream "Talk" already.*onair start Talk.*Name of the broadcast/su, 'High mass'],
        [/ 1 {2}youtube .*Where to \(/su, 'youtub'],
        [/must be an address.*Where to \(/su, '1'],
        [/Stream key of YouTube \(not shown\)/u, KEY],
        [/Quality \(/u, '9k'],
        [/must be one of 1080p60.*Quality \(/su, '3'],
        [/Record it as well/u, 'y'],
        [/When \(/u, 'tomorow'],
        [/must be a time such as.*When \(/su, 'tomorrow 20:00'],
        [/Until \(/u, ''],
        [/Again \(/u, 'weekly'],
        [/YouTube, rtmps.*1080p30.*20:00 \(.*\) to .* 22:00 \(.*\), weekly.*Set it up\?/su, ''],
      ],
    );
    assert.match(screen, /"High mass" is set up\./u);
    assert.match(
      screen,
      /--to youtube --key - --quality 1080p30 --record --when 'tomorrow 20:00' --recurrence weekly/u,
    );
    assert.doesNotMatch(screen, new RegExp(KEY, 'u'));
    const channel = (await rows('channels')).find(({ name }) => name === 'High mass');
    assert.match(screen, new RegExp(`onair call revealIngestKey --channelId ${String(channel?.['id'])}`, 'u'));
  });

  /** Sends MPEG-TS at its own pace, again and again, to each caller. */
  async function serveTs(t: TestContext): Promise<string> {
    const url = `http://127.0.0.1:${await freePort()}/live.ts`;
    const input = ['-re', '-stream_loop', '-1', '-i', clip];
    const server = createServer((_request, response) => {
      const args = ['-loglevel', 'error', ...input, '-c', 'copy', '-f', 'mpegts', '-'];
      const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.pipe(response);
      response.once('close', () => child.kill('SIGKILL'));
    });
    server.listen(Number(new URL(url).port), '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return url;
  }

  function keyFile(): string {
    const path = join(service.scratch, 'key');
    writeFileSync(path, `${KEY}\n`);
    return path;
  }
});
