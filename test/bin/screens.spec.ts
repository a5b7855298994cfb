/** The screens of the main commands at 80 and at 120 columns, as they are committed. TEST_SCREENS=renew writes them anew. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { onair } from '../helpers/cli.ts';
import { someOf } from '../helpers/counts.ts';
import { PROGRAM, startService, type Service } from '../helpers/service.ts';
import { onTerminal } from '../helpers/terminal.ts';
import { ROOT } from '../house/sources.ts';

const FOLDER = join(ROOT, 'test', 'bin', 'screens');
const isRenewal = process.env['TEST_SCREENS'] === 'renew';

const SCREENS: Readonly<Record<string, readonly string[]>> = {
  'help-start': ['start', '--help'],
  'help-schedule': ['schedule', '--help'],
  'help-operation': ['call', 'addSchedule', '--help'],
  tools: ['tools', 'occurrence'],
  status: ['status'],
  'status-one': ['status', 'Sunday service'],
  'ls-livestreams': ['ls', 'livestreams'],
  'ls-destinations': ['ls', 'destinations'],
  'ls-schedules': ['ls', 'schedules'],
  'ls-channels': ['ls', 'channels'],
  'user-list': ['user', 'list'],
  'refused-name': ['start', 'Sonday'],
  'refused-flag': ['status', '--jsn'],
  'refused-command': ['sttaus'],
};

/** Those that a process of their own shows on a pseudo-terminal; the others are told its width. */
const ON_TERMINAL = new Set(['status', 'refused-name']);

describe('the screen of', () => {
  let service: Service;
  before(async () => {
    service = await startService({ ONAIR_TIMEZONE: 'Europe/Zurich', TERM: 'xterm', NO_COLOR: '' });
    const settings = { url: 'https://origin.broadcaster.example/live/index.m3u8' };
    const channelId = await service.create('/channels', { name: 'Camera at the altar', type: 'Stream', settings });
    const encodingId = await service.create('/encodings', { name: '720p', settings_video: { bitrate: 900 } });
    const web = await service.create('/publishings', { name: 'Parish website', type: 'HLS / TS' });
    const push = await service.create('/publishings', {
      name: 'Partner',
      type: 'RTMP',
      settings: { url: 'rtmp://ingest.broadcaster.example/live' },
    });
    const publishingGroupId = await service.create('/publishings/groups', { name: 'All', elements: [web, push] });
    const livestreamId = await service.create('/livestreams', {
      name: 'Sunday service',
      channelId,
      encodingId,
      publishingGroupId,
    });
    await service.create('/livestreams', { name: 'Evening prayer', channelId, encodingId, publishingId: web });
    const wide = {
      礼拝堂のカメラ: '祭壇の右側にある固定カメラ、音声は別の機器から入ります',
      'Cafe\u0301 🎥': 'Both 👩‍👩‍👧 and 🇨🇭',
    };
    for (const [cameraName, description] of Object.entries(wide))
      await service.create('/channels', { name: cameraName, type: 'Stream', settings, description });
    await service.create('/schedules', {
      name: 'Every Sunday',
      livestreamId,
      start: '2030-12-01T09:00:00Z',
      end: '2030-12-01T10:30:00Z',
      recurrence: { type: 'weekly' },
    });
  });
  after(() => service.dispose());

  for (const [name, words] of Object.entries(SCREENS))
    for (const columns of someOf([80, 120], 1))
      it(`onair ${words.join(' ')} at ${columns} columns is the committed one`, async () => {
        const shown = await (ON_TERMINAL.has(name)
          ? onTerminal([process.execPath, PROGRAM, ...words], service.env, undefined, columns).ended
          : onair(words, service.env, { columns }).then(({ screen }) => screen));
        const text = shown.replaceAll('\r\n', '\n').replaceAll('\x1b', '\\e');
        const path = join(FOLDER, `${name}-${columns}.txt`);
        if (isRenewal) {
          mkdirSync(FOLDER, { recursive: true });
          writeFileSync(path, text);
        }
        assert.equal(
          text,
          existsSync(path) ? readFileSync(path, 'utf8') : '',
          `${path}: see the first line of this file`,
        );
      });

  it('each committed screen is of a command above', () => {
    const names = Object.keys(SCREENS).flatMap((name) => [`${name}-120.txt`, `${name}-80.txt`]);
    assert.deepEqual(readdirSync(FOLDER).sort(), names.sort());
  });
});
