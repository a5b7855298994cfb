/** The commands of people, with a broadcast that is really on air. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { onair as command, type Ended } from '../helpers/cli.ts';
import { until } from '../helpers/until.ts';
import { makeClip, PROGRAM, startService, type Service } from '../helpers/service.ts';

describe('a broadcast by the commands of people', () => {
  let service: Service;
  let clip: string;

  const run = (...words: string[]): Promise<Ended> => command(words, service.env);
  async function onair(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...words);
    assert.equal(code, 0, stderr);
    return stdout;
  }
  async function refused(code: number, ...words: string[]): Promise<string> {
    const ended = await run(...words);
    assert.equal(ended.code, code, ended.stderr);
    assert.equal(ended.stdout, '');
    return ended.stderr;
  }

  before(async () => {
    service = await startService({ ONAIR_TIMEZONE: 'Europe/Zurich' });
    clip = makeClip(join(service.scratch, 'clip.mp4'));
    await onair('upload', clip, '--type', 'files', '--name', 'talk.mp4');
    const channelId = await service.create('/channels', {
      name: 'Talk',
      type: 'File',
      settings: { filename: 'talk.mp4' },
    });
    const encodingId = await service.create('/encodings', {
      name: '180p',
      settings_video: { height: 180, bitrate: 300 },
    });
    const web = await service.create('/publishings', { name: 'Web', type: 'HLS / TS' });
    const archive = await service.create('/publishings', { name: 'Archive', type: 'Record' });
    const publishingGroupId = await service.create('/publishings/groups', { name: 'Both', elements: [web, archive] });
    await service.create('/livestreams', { name: 'Sunday service', channelId, encodingId, publishingGroupId });
    await service.create('/livestreams', { name: 'Plain', channelId, encodingId, publishingId: web });
  });
  after(() => service.dispose());

  it('start waits until viewers can see it, tells how far it is on stderr, and where to watch it on stdout', async () => {
    const { code, stdout, stderr } = await run('start', 'sunday');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^"Sunday service" is on air on 2 destinations\.\nWatch http:\S+\.m3u8\n$/u);
    assert.match(stderr, /^onair: "Sunday service" is starting\./u);
    assert.match(await onair('watch', 'Sunday service', '--json', 'name,url'), /"url": "http:\S+\.m3u8"/u);
  });

  it('status is a table of all, the facts of one, and an array in JSON and YAML', async () => {
    assert.match(await onair('status'), /^ID +NAME +STATUS .*\n1 +Sunday service +ON AIR /u);
    assert.match(await onair('status', 'Sunday'), /is on air .*\n\nDESTINATION|Archive +up/su);
    const rows = JSON.parse(await onair('status', '-o', 'json')) as { name: string }[];
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['Sunday service', 'Plain'],
    );
    assert.deepEqual(parse(await onair('status', '-o', 'yaml', '--json', 'livestreamId,name')), [
      { livestreamId: 1, name: 'Sunday service' },
      { livestreamId: 2, name: 'Plain' },
    ]);
  });

  it('fleet hold and release say who holds it and since when, and a second call changes nothing', async () => {
    assert.match(
      await onair('fleet', 'hold'),
      /^No broadcast is moved by itself: admin holds the fleet since \S.*\.\n$/u,
    );
    const { by, since } = JSON.parse(await onair('fleet', 'hold', '-o', 'json')) as { by: string; since: string };
    assert.deepEqual([by, Number.isNaN(Date.parse(since))], ['admin', false]);
    assert.match(await onair('fleet', 'release'), /^Broadcasts may be moved again; admin had held the fleet since /u);
    assert.equal(await onair('fleet', 'release'), 'The fleet was not held.\n');
  });

  it('logo takes a file of this machine, text takes words, black covers both, and each is ended by off', async () => {
    const png = join(service.scratch, 'bug.png');
    writeFileSync(png, Buffer.from(PIXEL_PNG, 'base64'));
    const runtime = async (): Promise<Record<string, unknown>> =>
      (JSON.parse(await onair('status', 'Sunday', '--json', 'runtime')) as { runtime: Record<string, unknown> })
        .runtime;
    await onair('logo', 'Sunday', png, 'bottom-left');
    await onair('text', 'Sunday', 'Back', 'soon');
    await onair('black', 'Sunday');
    const shown = await runtime();
    assert.deepEqual(
      [shown['logo'], shown['text'], shown['blackout']],
      [{ filename: 'bug.png', position: 'Bottom-Left' }, 'Back soon', 'Black Frame'],
    );
    for (const word of ['logo', 'text', 'black']) await onair(word, 'Sunday', 'off');
    const ended = await runtime();
    assert.deepEqual([ended['logo'], ended['text'], ended['blackout']], [null, null, 'Live']);
    assert.match(await refused(2, 'logo', 'Sunday', png, 'nowhere'), /position/u);
    assert.match(await refused(3, 'logo', 'Sunday', 'gone.png'), /neither as a file here nor among the Assets/u);
  });

  it('cue begins and ends a break, record turns the bound Record Destination, preview gives a picture', async () => {
    assert.match(await onair('cue', 'Sunday', 'out', '30'), /a break of 30 seconds has begun/u);
    assert.match(await onair('cue', 'Sunday', 'in'), /the break has ended/u);
    assert.match(await onair('record', 'Sunday', 'off'), /is not recorded now \(Archive\)/u);
    assert.match(await onair('record', 'Sunday', 'on'), /is being recorded now/u);
    const { code, bytes } = await run('preview', 'Sunday');
    assert.equal(code, 0);
    assert.equal(bytes.subarray(0, 3).toString('hex'), 'ffd8ff');
    const file = join(service.scratch, 'now.jpg');
    assert.equal(await onair('preview', 'Sunday', file), '');
    assert.equal(readFileSync(file).subarray(0, 3).toString('hex'), 'ffd8ff');
    await until('a picture of the start is kept', async () => {
      const kept = await run('preview', 'Sunday', '--at', '1s');
      return kept.code === 0 && kept.bytes.subarray(0, 3).toString('hex') === 'ffd8ff';
    });
    assert.match(await refused(3, 'preview', 'Sunday', file, '--at', '2020-01-01 10:00'), /No picture .* is kept/u);
  });

  it('what is in the way is said: off air, the same source, an unknown name', async () => {
    assert.match(await refused(5, 'record', 'Plain', 'on'), /can be changed in status 2/u);
    assert.match(await refused(2, 'switch', 'Sunday', 'Talk'), /is on air already/u);
    assert.match(await refused(3, 'switch', 'Sunday', 'Balcony'), /There is no Channel "Balcony"/u);
    assert.match(await refused(5, 'text', 'Plain', 'Hello'), /can be changed in status 2/u);
    assert.match(await refused(5, 'watch', 'Plain'), /is not on air/u);
  });

  it('schedule takes times as people type them, and states them with the zone of the server', async () => {
    const planned = await onair(
      'schedule',
      'Plain',
      '--start',
      '2030-11-29 10:00',
      '--end',
      '+90m',
      '--recurrence',
      'weekly',
    );
    assert.match(planned, /Fri 29 Nov 2030, 10:00 \(Europe\/Zurich\) to Fri 29 Nov 2030, 11:30 \(Europe\/Zurich\)/u);
    assert.match(await onair('ls', 'schedules'), /Plain +2030-11-29 10:00 +11:30 +weekly +Europe\/Zurich/u);
    assert.match(
      await refused(2, 'schedule', 'Plain', '--start', 'soon', '--end', '+1h'),
      /--start: must be a time such as/u,
    );
    assert.match(await refused(2, 'schedule', 'Plain', '--start', '20:00'), /--end/u);
  });

  it('ls lists what there is under the words of people, with names in place of ids', async () => {
    assert.match(await onair('ls', 'livestreams'), /Sunday service +ON AIR +Talk +Web, Archive/u);
    assert.deepEqual(JSON.parse(await onair('ls', 'sources', '--json', 'name,type')), [{ name: 'Talk', type: 'File' }]);
    assert.equal(
      await onair('ls', 'recordings', '--json', 'livestream_name').then((text) => Array.isArray(JSON.parse(text))),
      true,
    );
    assert.match(await refused(2, 'ls', 'things'), /must be one of livestreams, channels/u);
  });

  it('completion gives live names to bash, quoted where they hold spaces', () => {
    const bin = join(service.scratch, 'bin');
    mkdirSync(bin);
    symlinkSync(PROGRAM, join(bin, 'onair'));
    const complete = (...words: string[]): string[] => {
      const script = `source <(onair completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _onair; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { ...service.env, PATH: `${bin}:${process.env['PATH']}` };
      const { stdout } = spawnSync('bash', ['-c', script, 'bash', 'onair', ...words], { env, encoding: 'utf8' });
      return stdout.trim().split('\n');
    };
    assert.deepEqual(complete('status', 'sun'), [String.raw`Sunday\ service`]);
    assert.deepEqual(complete('switch', 'Plain', ''), ['Talk']);
    assert.deepEqual(complete('stat'), ['status']);
  });

  it('logs show what has happened, also as objects with the fields that are named', async () => {
    assert.match(await onair('logs', 'Sunday'), /start_requested +admin started "Sunday service"/u);
    const events = JSON.parse(await onair('logs', 'Sunday', '--json', 'kind')) as { kind: string }[];
    assert.ok(events.some(({ kind }) => kind === 'started'));
    const [line = ''] = (await onair('logs', 'Sunday', '--json')).split('\n');
    assert.equal((JSON.parse(line) as { livestreamId: number }).livestreamId, 1);
  });

  it('stop ends it, and is no failure where it is off', async () => {
    assert.match(await onair('stop', 'Sunday'), /is off air\./u);
    assert.match(await onair('stop', 'Sunday'), /is off air already/u);
  });
});

/** A PNG of one transparent pixel. */
const PIXEL_PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
