/** The rules of outputs and Live streams, a row each. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  bounds,
  missing,
  named,
  text,
  useRules,
  type Args,
  type Ids,
  type Refused,
  type Taken,
} from './rules-table.ts';

describe('rules of outputs and Live streams', () => {
  const { table, now } = useRules();

  describe('addPublishing', () => {
    const of = (type: string, settings: object = {}, rest: object = {}): object => ({ type, settings, ...rest });
    const needs = {
      RTMP: 'rtmp://h/live',
      'Enhanced RTMP': 'rtmps://h/live',
      SRT: 'srt://h:9000',
      STREAM: 'udp://239.0.0.1:5000',
    };

    table(
      'addPublishing',
      of('HLS / TS'),
      [
        ...bounds,
        [
          'a type alone, and fills in the rest',
          {},
          {
            settings: { url: null, backup_url: null, segment_duration: 6, has_password: false, stream_key: null },
            drm: null,
            retry: { max_attempts: 10, initial_delay_ms: 1000, max_delay_ms: 30_000 },
            primary_enabled: true,
            backup_enabled: false,
          },
        ],
        ...['HLS / TS', 'DASH', 'CMAF', 'SDIOUT', 'Record'].map((type): Taken => [`${type} without url`, of(type)]),
        ...Object.entries(needs).map(([type, url]): Taken => [`${type} to ${url}`, of(type, { url })]),
        ['STREAM by RTP', of('STREAM', { url: 'rtp://239.0.0.1:5000' })],
        ['HLS / TS pushed over https', of('HLS / TS', { url: 'https://h/live', backup_url: 'http://h/live' })],
        ['segments of 1 s', of('HLS / TS', { segment_duration: 1 })],
        ['segments of 30 s', of('HLS / TS', { segment_duration: 30 })],
        [
          'an encrypted SRT output',
          of('SRT', { url: needs.SRT, srt: { encryption: 256, passphrase: text(79) } }),
          { settings: { srt: { has_passphrase: true } } },
        ],
        ['one delay for all attempts', { retry: { initial_delay_ms: 500, max_delay_ms: 500 } }],
      ],
      [
        ...named,
        ['a type that is none', of('WebRTC'), 'type'],
        ...Object.keys(needs).map((type): Refused => [`${type} without url`, of(type), 'settings.url']),
        ['RTMP by http', of('RTMP', { url: 'http://h/live' }), 'settings.url'],
        ['HLS / TS by rtmp', of('HLS / TS', { url: 'rtmp://h/live' }), 'settings.url'],
        ['a backup of another scheme', of('SRT', { url: needs.SRT, backup_url: 'udp://h:1' }), 'settings.backup_url'],
        ['a Record with url', of('Record', { url: 'http://h/a' }), 'settings.url'],
        ['segments of 0.9 s', of('HLS / TS', { segment_duration: 0.9 }), 'settings.segment_duration'],
        ['segments of 31 s', of('HLS / TS', { segment_duration: 31 }), 'settings.segment_duration'],
        [
          'encryption without passphrase',
          of('SRT', { url: needs.SRT, srt: { encryption: 128 } }),
          'settings.srt.passphrase',
        ],
        ['a container that is none', of('Record', { container: 'avi' }), 'settings.container'],
        ['deletion on the day itself', of('Record', { delete_after: 0 }), 'settings.delete_after'],
        [
          'a Remote Folder that is not there',
          of('Record', { remotefolder: missing }),
          'settings.remotefolder',
          'rule_violated',
        ],
        [
          'a first delay that is the longest',
          { retry: { initial_delay_ms: 2000, max_delay_ms: 1000 } },
          'retry.initial_delay_ms',
          'rule_violated',
        ],
        ['more than 1000 attempts', { retry: { max_attempts: 1001 } }, 'retry.max_attempts'],
        [
          'a DRM system in capitals',
          of('CMAF', {}, { drm: { provider_id: 1, contentid: 'a', systems: ['WIDEVINE'] } }),
          'drm.systems.0',
        ],
        [
          'DRM without systems',
          of('CMAF', {}, { drm: { provider_id: 1, contentid: 'a', systems: [] } }),
          'drm.systems',
        ],
        [
          'another encryption',
          of('CMAF', {}, { drm: { provider_id: 1, contentid: 'a', systems: ['Widevine'], encryption_mode: 'cbc1' } }),
          'drm.encryption_mode',
        ],
        ...[14, 1441, 15.5].map((rotation_minutes): Refused => {
          const drm = { provider_id: 1, contentid: 'a', systems: ['Widevine'], rotation_minutes };
          return [`new keys every ${rotation_minutes} minutes`, of('CMAF', {}, { drm }), 'drm.rotation_minutes'];
        }),
      ],
    );
  });

  describe('addPublishingGroup', () => {
    table(
      'addPublishingGroup',
      {},
      [...bounds, ['members in their order', (known) => ({ elements: [known.rtmp, known.hls] })]],
      [
        ...named,
        ['21 members', { elements: Array.from({ length: 21 }, (_, index) => index + 1) }, 'elements'],
        ['a member twice', (known) => ({ elements: [known.hls, known.hls] }), 'elements.1', 'rule_violated'],
        ['a member that is not there', { elements: [missing] }, 'elements.0', 'rule_violated'],
      ],
    );
    it('addPublishingGroup takes 20 members', async () => {
      const elements: number[] = [];
      for (let member = 1; member <= 20; member += 1) {
        elements.push((await now().app.data('addPublishing', { name: `member ${member}`, type: 'Record' })).id);
      }
      assert.deepEqual(
        (await now().app.data('addPublishingGroup', { name: 'Twenty', elements }))['elements'],
        elements,
      );
    });
  });

  describe('addLivestream', () => {
    const bound = (known: Ids): object => ({
      channelId: known.channel,
      encodingId: known.h264,
      publishingId: known.hls,
    });
    const codec = (encoding: 'av1' | 'vp9' | 'hevc', type: string, url?: string, settings: object = {}): Args => {
      const name = `${encoding} over ${type} ${JSON.stringify(settings)}`;
      outputs.push([name, { name, type, settings: { ...(url !== undefined && { url }), ...settings } }]);
      return (known) => ({ encodingId: known[encoding], publishingId: published.get(name) });
    };
    const outputs: [string, object][] = [];
    const published = new Map<string, number>();
    before(async () => {
      for (const [name, args] of outputs) published.set(name, (await now().app.data('addPublishing', args)).id);
    });

    table(
      'addLivestream',
      bound,
      [
        ...bounds,
        [
          'its bindings alone, and fills in the rest',
          {},
          {
            enabled: true,
            status: 0,
            errorstatus: null,
            encodingGroupId: null,
            publishingGroupId: null,
            idEncoderGroup: null,
            deviceId: null,
            scteMarkers: false,
            startConfig: [],
            logo: null,
            overlay: null,
            audio: null,
            crop: null,
            fallback: { mode: 'slate', filename: null },
            started_at: null,
            created_by: 'admin',
          },
        ],
        [
          'groups in place of single ones',
          (known) => ({
            encodingId: null,
            encodingGroupId: known.ladder,
            publishingId: null,
            publishingGroupId: known.outputs,
          }),
        ],
        ['a Device to be pinned to', (known) => ({ deviceId: known.device })],
        ['a Device group', (known) => ({ idEncoderGroup: known.group })],
        ...['Center', 'Left', 'Right', 'Top', 'Bottom', 'Top-Left', 'Top-Right', 'Bottom-Left', 'Bottom-Right'].map(
          (position): Taken => [`a logo at ${position}`, { logo: { filename: 'bug.png', position } }],
        ),
        ['a logo without a file', { logo: { filename: '' } }, { logo: { filename: '', position: 'Top-Right' } }],
        ['a crop up to a half each', { crop: { left: 50, right: 49, top: 0, bottom: 50 } }],
        ['a file as fallback', { fallback: { mode: 'file', filename: 'film.mp4' } }],
        ['no fallback', { fallback: { mode: 'none' } }],
        ['no list of audio tracks', { audio: [] }],
        [
          'audio tracks in two languages and one in none',
          { audio: [{ track: 0, language: 'en' }, { track: 63, language: 'pt-BR', default: true }, { track: 5 }] },
        ],
        [
          'a text',
          { overlay: { text: text(1000), size: 200, color: '#00FF00' } },
          { overlay: { visible: true, position: 'Bottom' } },
        ],
        ['HEVC over Enhanced RTMP', codec('hevc', 'Enhanced RTMP', 'rtmp://h/live')],
        ['AV1 over CMAF', codec('av1', 'CMAF')],
        ['AV1 over DASH', codec('av1', 'DASH')],
        ['AV1 in an MP4 Record', codec('av1', 'Record')],
        ['HEVC over SRT', codec('hevc', 'SRT', 'srt://h:9000')],
      ],
      [
        ...named,
        ['no Channel', { channelId: undefined }, 'channelId'],
        ['no Encoding', { encodingId: null }, 'encodingId', 'rule_violated'],
        ['an Encoding and a group', (known) => ({ encodingGroupId: known.ladder }), 'encodingId', 'rule_violated'],
        ['no Publishing', { publishingId: undefined }, 'publishingId', 'rule_violated'],
        [
          'a Publishing and a group',
          (known) => ({ publishingGroupId: known.outputs }),
          'publishingId',
          'rule_violated',
        ],
        [
          'a Device and a Device group',
          (known) => ({ deviceId: known.device, idEncoderGroup: known.group }),
          'idEncoderGroup',
          'rule_violated',
        ],
        [
          'what is not there, all at once',
          { channelId: missing, encodingId: missing, publishingId: missing, deviceId: missing },
          'channelId encodingId publishingId deviceId',
          'rule_violated',
        ],
        [
          'groups that are not there',
          {
            encodingId: null,
            publishingId: null,
            encodingGroupId: missing,
            publishingGroupId: missing,
            idEncoderGroup: missing,
          },
          'encodingGroupId publishingGroupId idEncoderGroup',
          'rule_violated',
        ],
        ['a logo that is not uploaded', { logo: { filename: 'gone.png' } }, 'logo.filename', 'rule_violated'],
        ['a logo of the bucket files', { logo: { filename: 'film.mp4' } }, 'logo.filename', 'rule_violated'],
        ['a logo in between', { logo: { filename: 'bug.png', position: 'Middle' } }, 'logo.position'],
        ['nine audio tracks', { audio: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((track) => ({ track })) }, 'audio'],
        ['an audio track below 0', { audio: [{ track: -1 }] }, 'audio.0.track'],
        ['a language that is none', { audio: [{ track: 0, language: 'G"' }] }, 'audio.0.language'],
        ['an audio track twice', { audio: [{ track: 2 }, { track: 2 }] }, 'audio.1.track', 'rule_violated'],
        [
          'two default audio tracks',
          { audio: [{ track: 0, default: true }, { track: 1 }, { track: 2, default: true }] },
          'audio.2.default',
          'rule_violated',
        ],
        ['a crop over a half', { crop: { left: 50.1 } }, 'crop.left'],
        ['a crop the other way', { crop: { top: -1 } }, 'crop.top'],
        ['a crop that leaves nothing', { crop: { top: 50, bottom: 50 } }, 'crop', 'rule_violated'],
        ['a fallback that is none', { fallback: { mode: 'black' } }, 'fallback.mode'],
        ['a fallback file without name', { fallback: { mode: 'file' } }, 'fallback.filename', 'rule_violated'],
        [
          'a fallback file of the bucket logos',
          { fallback: { mode: 'file', filename: 'bug.png' } },
          'fallback.filename',
          'rule_violated',
        ],
        ['a text of 1001 characters', { overlay: { text: text(1001) } }, 'overlay.text'],
        ['a text too small to read', { overlay: { text: 'a', size: 7 } }, 'overlay.size'],
        ['a colour by its name', { overlay: { text: 'a', color: 'red' } }, 'overlay.color'],
        ['a status', { status: 2 }, 'status'],
        ['a start configuration', { startConfig: [] }, 'startConfig'],
        ['HEVC over RTMP', codec('hevc', 'RTMP', 'rtmp://h/live'), 'publishingId', 'rule_violated'],
        ['AV1 over Enhanced RTMP', codec('av1', 'Enhanced RTMP', 'rtmp://h/live'), 'publishingId', 'rule_violated'],
        ['AV1 over RTMP', codec('av1', 'RTMP', 'rtmp://h/live'), 'publishingId', 'rule_violated'],
        ['AV1 over SRT', codec('av1', 'SRT', 'srt://h:9000'), 'publishingId', 'rule_violated'],
        ['AV1 over HLS / TS', codec('av1', 'HLS / TS'), 'publishingId', 'rule_violated'],
        ['AV1 over MPEG-TS', codec('av1', 'STREAM', 'udp://h:1'), 'publishingId', 'rule_violated'],
        [
          'AV1 in a Record as ts',
          codec('av1', 'Record', undefined, { container: 'ts' }),
          'publishingId',
          'rule_violated',
        ],
        ['VP9 over RTMP', codec('vp9', 'RTMP', 'rtmp://h/live'), 'publishingId', 'rule_violated'],
        [
          'AV1 in a ladder over a group with HLS / TS and RTMP',
          (known) => ({
            encodingId: null,
            encodingGroupId: known.av1Ladder,
            publishingId: null,
            publishingGroupId: known.outputs,
          }),
          'publishingGroupId publishingGroupId',
          'rule_violated',
        ],
      ],
    );
  });

  it('each name is held once a resource, and another resource may have it too', async () => {
    const name = 'The very name';
    const adds: [string, object][] = [
      ['addChannel', { type: 'NDI', settings: {} }],
      ['addEncoding', {}],
      ['addEncodingGroup', {}],
      ['addPublishing', { type: 'Record' }],
      ['addPublishingGroup', {}],
      ['addLivestream', { channelId: now().ids.channel, encodingId: now().ids.h264, publishingId: now().ids.hls }],
      ['addRemoteFolder', { protocol: 'NFS', host: 'nas.example.com', folder: '/media' }],
      ['addTargetFolder', { type: 'FTP', host: 'ftp.example.com', user: 'onair', password: 'x' }],
      [
        'addDrmProvider',
        { provider_type: 'STATIC', credentials: { keys: [{ kid: 'a'.repeat(32), key: 'c'.repeat(32) }] } },
      ],
    ];
    for (const [operation, args] of adds) {
      await now().app.data(operation, { name, ...args });
      await now().app.refused('conflict', operation, { name, ...args });
      await now().app.refused('conflict', operation, { name: ` ${name} `, ...args });
    }
  });
});
