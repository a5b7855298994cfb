/** The rules of sources and ladders, a row each. */
import { describe } from 'node:test';
import { bounds, missing, named, text, useRules, type Refused, type Taken } from './rules-table.ts';
import { wordsOf } from '../helpers/words.ts';

describe('rules of sources and ladders', () => {
  const { table } = useRules();

  describe('addChannel', () => {
    const of = (type: string, settings: object): object => ({ type, settings });
    const stream = of('Stream', { url: 'http://host/a.m3u8' });
    const srt = (settings: object): object => of('SRT', { host: 'host', port: 9000, ...settings });

    table(
      'addChannel',
      stream,
      [
        ...bounds,
        ['an alias of 100 characters', { alias: text(100) }],
        ...wordsOf(`
          http://h/a https://h/a.m3u8 rtmp://h/app/key rtmps://h/app/key udp://239.0.0.1:5000 rtp://239.0.0.1:5000
          rtsp://user:pass@camera/live?channel=1 rtsps://camera:8322/live
        `).map((url): Taken => [`a Stream from ${url}`, of('Stream', { url })]),
        ['a Stream by RTSP with its transport', of('Stream', { url: 'rtsp://h/a', transport: 'udp' })],
        ['a program and an audio track of a Stream', of('Stream', { url: 'udp://h:1', program: 0, audiotrack: 63 })],
        [
          'a File, which loops',
          of('File', { filename: 'film.mp4' }),
          { settings: { filename: 'film.mp4', loop: true } },
        ],
        [
          'an SRT source, as caller with 200 ms',
          srt({}),
          { settings: { mode: 'caller', latency_ms: 200, encryption: 0, has_passphrase: false } },
        ],
        ['SRT at the least latency', srt({ mode: 'listener', latency_ms: 20 })],
        ['SRT at the longest latency', srt({ latency_ms: 8000 })],
        ...[128, 192, 256].map((encryption): Taken => [
          `SRT with ${encryption} bits`,
          srt({ encryption, passphrase: text(10) }),
          { settings: { has_passphrase: true } },
        ]),
        [
          'a pusher with its key, which is masked',
          of('RTMP-Push', { app: 'live', stream_key: 'secret-key-1' }),
          { settings: { stream_key: '****ey-1' } },
        ],
        ['a cloud source by UDP', (known) => of('UDP-R Cloud', { cloudAccountId: known.cloud })],
        [
          'a cloud source by SRT',
          (known) => of('SRT Cloud', { cloudAccountId: known.cloud }),
          { settings: { latency_ms: 200, encryption: 0 } },
        ],
        ['a card input', (known) => of('SDI', { deviceId: known.device, input: 0 })],
        ['a card input for sound', (known) => of('AES/EBU', { deviceId: known.device, input: 63 })],
        ['NDI, discovered', of('NDI', {}), { settings: { discovery: 'auto' } }],
        [
          'NDI, by hosts, in groups',
          of('NDI', { ndi_hosts: ['192.0.2.1', 'studio.example'], audio_groups: [2, 6, 8] }),
        ],
        ['NDI, typed', of('NDI', { discovery: 'typed', source_name: 'HOST (Camera)' })],
        ['a video site channel by its 11 characters', of('VideoSite Live', { video_id: 'abc-DEF_123' })],
      ],
      [
        ...named,
        ['an alias of 101 characters', { alias: text(101) }, 'alias'],
        ['a type that is not one of the ten', { type: 'Stream - Cloud' }, 'type'],
        ['no type', { type: undefined }, 'type'],
        [
          'a transport of a Stream that is not by RTSP',
          of('Stream', { url: 'http://h/a', transport: 'tcp' }),
          'settings.transport',
        ],
        ['another transport', of('Stream', { url: 'rtsp://h/a', transport: 'http' }), 'settings.transport'],
        ['a Stream without url', of('Stream', {}), 'settings.url'],
        ['a Stream by ftp', of('Stream', { url: 'ftp://host/a' }), 'settings.url'],
        ['a Stream from a file of the server', of('Stream', { url: 'file:///etc/passwd' }), 'settings.url'],
        ['a url of 2049 characters', of('Stream', { url: `http://h/${text(2040)}` }), 'settings.url'],
        ['a program beyond 65535', of('Stream', { url: 'udp://h:1', program: 65_536 }), 'settings.program'],
        ['an audio track beyond 63', of('Stream', { url: 'udp://h:1', audiotrack: 64 }), 'settings.audiotrack'],
        ['a File without filename', of('File', {}), 'settings.filename'],
        ['a File that is not uploaded', of('File', { filename: 'gone.mp4' }), 'settings.filename', 'rule_violated'],
        ['a File of the bucket logos', of('File', { filename: 'bug.png' }), 'settings.filename', 'rule_violated'],
        ['SRT without host and port', of('SRT', {}), 'settings.host settings.port'],
        ['SRT in another mode', srt({ mode: 'rendezvous' }), 'settings.mode'],
        ['port 0', srt({ port: 0 }), 'settings.port'],
        ['port 65536', srt({ port: 65_536 }), 'settings.port'],
        ['SRT under 20 ms', srt({ latency_ms: 19 }), 'settings.latency_ms'],
        ['SRT over 8000 ms', srt({ latency_ms: 8001 }), 'settings.latency_ms'],
        ['a passphrase of 9 characters', srt({ passphrase: text(9) }), 'settings.passphrase'],
        ['a passphrase of 80 characters', srt({ passphrase: text(80) }), 'settings.passphrase'],
        ['a key length that AES has not', srt({ encryption: 64 }), 'settings.encryption'],
        ['encryption without passphrase', srt({ encryption: 128 }), 'settings.passphrase'],
        ['a pusher without app', of('RTMP-Push', {}), 'settings.app'],
        ['an app that is a path', of('RTMP-Push', { app: 'a/b', stream_key: 'k' }), 'settings.app'],
        ['a cloud source without account', of('UDP-R Cloud', {}), 'settings.cloudAccountId'],
        [
          'a cloud account that is not there',
          of('SRT Cloud', { cloudAccountId: missing }),
          'settings.cloudAccountId',
          'rule_violated',
        ],
        ['a card without Device and input', of('SDI', {}), 'settings.deviceId settings.input'],
        [
          'a Device that is not there',
          of('AES/EBU', { deviceId: missing, input: 0 }),
          'settings.deviceId',
          'rule_violated',
        ],
        ['NDI, a group of three', of('NDI', { audio_groups: [2, 3] }), 'settings.audio_groups.1'],
        ['NDI, seventeen channels', of('NDI', { audio_groups: [8, 8, 1] }), 'settings.audio_groups'],
        ['NDI, no group', of('NDI', { audio_groups: [] }), 'settings.audio_groups'],
        ['NDI, a host that is none', of('NDI', { ndi_hosts: ['studio', 'a/b'] }), 'settings.ndi_hosts.1'],
        ['NDI, typed, without a name', of('NDI', { discovery: 'typed' }), 'settings.source_name'],
        ['a video id of 10 characters', of('VideoSite Live', { video_id: 'abcdefghij' }), 'settings.video_id'],
        ['settings of another type', of('NDI', { url: 'http://h/a' }), 'settings.url'],
      ],
    );
  });

  describe('addEncoding', () => {
    const video = (settings: object): object => ({ settings_video: settings });
    const MASTERING = { max_cll: 1000, max_fall: 400, mastering: { primaries: 'p3', max: 10_000, min: 0.0001 } };
    const audio = (settings: object): object => ({ settings_audio: settings });

    table(
      'addEncoding',
      {},
      [
        ...bounds,
        [
          'a name alone, and fills in the rest',
          {},
          {
            settings_video: {
              active: true,
              codec: 'h264',
              bitrate: 2500,
              width: null,
              height: 720,
              fps: 0,
              aspect_ratio: null,
              deinterlace: 'auto',
              hdr_mode: 'off',
              hdr: null,
              encoder: 'software',
              preset: 'veryfast',
              h264: { profile: null, level: null, keyframe_interval: 2 },
            },
            settings_audio: { active: true, codec: 'mp4a', bitrate: 128, channels: 2, sample_rate: 48_000 },
            pipeline: 'h264',
          },
        ],
        ...['h264', 'hevc', 'av1', 'vp9', 'copy'].map((codec): Taken => [
          `video as ${codec}`,
          video({ codec }),
          { pipeline: codec },
        ]),
        ...['mp4a', 'opus', 'mp3'].map((codec): Taken => [`audio as ${codec}`, audio({ codec })]),
        ['no picture', video({ active: false }), { pipeline: 'audio' }],
        ['no sound', audio({ active: false }), { pipeline: 'h264' }],
        ['the largest picture', video({ width: 7680, height: 4320, bitrate: 100_000, fps: 120 })],
        ['the smallest picture', video({ width: 16, height: 16, bitrate: 50, fps: 0 })],
        ['a width alone', video({ width: 1280, height: null })],
        ['the HDR of a source that is copied', video({ codec: 'copy', hdr_mode: 'hdr10' })],
        ...['hevc', 'av1', 'vp9'].flatMap((codec) =>
          ['hdr10', 'hlg'].map((hdr_mode): Taken => [`${hdr_mode} in ${codec}`, video({ codec, hdr_mode })]),
        ),
        [
          'what displays are told of hdr10, to the last bounds',
          video({ codec: 'hevc', hdr_mode: 'hdr10', hdr: { ...MASTERING, max_cll: 10_000, max_fall: 10_000 } }),
        ],
        ['what displays are told in part', video({ codec: 'av1', hdr_mode: 'hdr10', hdr: { max_cll: 1 } })],
        ...['auto', 'nvenc', 'qsv', 'vaapi'].map((encoder): Taken => [`h264 by ${encoder}`, video({ encoder })]),
        ['hevc of ten bits by a card', video({ codec: 'hevc', encoder: 'nvenc', hevc: { profile: 'main10' } })],
        ['av1 by what there is', video({ codec: 'av1', encoder: 'auto' })],
        ['the smallest av1', video({ codec: 'av1', width: 64, height: 64 })],
        ['the smallest hevc, to the last kbit/s', video({ codec: 'hevc', width: 16, height: 16, bitrate: 50_000 })],
        ['a picture a second', video({ fps: 1 })],
        ['a ribbon of 16:1', video({ width: 1280, height: null, aspect_ratio: '16:1' })],
        [
          'a profile and a level that h264 has',
          video({ h264: { profile: 'high', level: '4.0', keyframe_interval: 0.5 } }),
        ],
        [
          'a profile and a level that hevc has',
          video({ codec: 'hevc', hevc: { profile: 'main10', level: '5.1', keyframe_interval: 10 } }),
        ],
        ['5.1 in mp4a', audio({ channels: 6, bitrate: 512, sample_rate: 44_100 })],
        ['7.1 in mp4a', audio({ channels: 8, bitrate: 512, sample_rate: 44_100 })],
        ['7.1 in opus', audio({ codec: 'opus', channels: 8 })],
        ['opus, to the last kbit/s of mono', audio({ codec: 'opus', channels: 1, bitrate: 256 })],
        ['opus in stereo, to the last kbit/s', audio({ codec: 'opus', bitrate: 512 })],
        [
          'a copy of both, whose channels are the source’s',
          { ...video({ codec: 'copy' }), ...audio({ codec: 'copy', channels: 8 }) },
        ],
      ],
      [
        ...named,
        ...['mp4v', 'mpgv'].map((codec): Refused => [
          `legacy ${codec}`,
          video({ codec }),
          'settings_video.codec',
          'rule_violated',
        ]),
        ...['aacp', 'mpga'].map((codec): Refused => [
          `legacy ${codec}`,
          audio({ codec }),
          'settings_audio.codec',
          'rule_violated',
        ]),
        ['a codec that is none', video({ codec: 'h263' }), 'settings_video.codec'],
        [
          'neither picture nor sound',
          { ...video({ active: false }), ...audio({ active: false }) },
          'settings_video.active',
          'rule_violated',
        ],
        ['49 kbit/s', video({ bitrate: 49 }), 'settings_video.bitrate'],
        ['100001 kbit/s', video({ bitrate: 100_001 }), 'settings_video.bitrate'],
        ['an odd width', video({ width: 641 }), 'settings_video.width'],
        ['an odd height', video({ height: 361 }), 'settings_video.height'],
        ['a picture over 8K', video({ width: 7682, height: 4322 }), 'settings_video.width settings_video.height'],
        ['121 frames a second', video({ fps: 121 }), 'settings_video.fps'],
        ['an aspect of nothing', video({ aspect_ratio: '16:0' }), 'settings_video.aspect_ratio'],
        ['an encoder that is none', video({ encoder: 'amf' }), 'settings_video.encoder'],
        ...[
          { codec: 'av1' },
          { codec: 'vp9' },
          { h264: { profile: 'high10' } },
          { codec: 'hevc', hdr_mode: 'hlg' },
        ].map((wanted): Refused => [
          `${JSON.stringify(wanted)} by a card`,
          video({ ...wanted, encoder: 'nvenc' }),
          'settings_video.encoder',
          'rule_violated',
        ]),
        ['an HDR mode that is none', video({ hdr_mode: 'dolby' }), 'settings_video.hdr_mode'],
        ...['hdr10', 'hlg'].map((hdr_mode): Refused => [
          `${hdr_mode} in h264`,
          video({ codec: 'h264', hdr_mode }),
          'settings_video.hdr_mode',
          'rule_violated',
        ]),
        [
          'hdr10 in a profile of eight bits',
          video({ codec: 'hevc', hdr_mode: 'hdr10', hevc: { profile: 'main' } }),
          'settings_video.hevc.profile',
          'rule_violated',
        ],
        ...(
          [
            ['of hlg', 'hevc', 'hlg'],
            ['of SDR', 'hevc', 'off'],
            ['in vp9', 'vp9', 'hdr10'],
          ] as const
        ).map(([name, codec, hdr_mode]): Refused => [
          `what displays are told ${name}`,
          video({ codec, hdr_mode, hdr: MASTERING }),
          'settings_video.hdr',
          'rule_violated',
        ]),
        [
          'a picture that is brighter than its brightest pixel',
          video({ codec: 'hevc', hdr_mode: 'hdr10', hdr: { max_cll: 400, max_fall: 401 } }),
          'settings_video.hdr.max_fall',
          'rule_violated',
        ],
        ...(
          [
            ['max_cll', 0],
            ['max_cll', 10_001],
            ['max_fall', 1.5],
          ] as const
        ).map(([name, value]): Refused => [
          `a ${name} of ${value}`,
          video({ codec: 'hevc', hdr_mode: 'hdr10', hdr: { [name]: value } }),
          `settings_video.hdr.${name}`,
        ]),
        ...(
          [
            ['max', 49],
            ['max', 10_001],
            ['min', 0],
            ['min', 6],
            ['primaries', 'bt709'],
          ] as const
        ).map(([name, value]): Refused => [
          `a display whose ${name} is ${value}`,
          video({ codec: 'hevc', hdr_mode: 'hdr10', hdr: { mastering: { ...MASTERING.mastering, [name]: value } } }),
          `settings_video.hdr.mastering.${name}`,
        ]),
        ...[
          [62, 64, 'width'],
          [64, 62, 'height'],
        ].map(([width, height, side]): Refused => [
          `av1 at ${width}×${height}`,
          video({ codec: 'av1', width, height }),
          `settings_video.${side}`,
          'rule_violated',
        ]),
        [
          'av1 whose shape makes a small side',
          video({ codec: 'av1', height: 100, aspect_ratio: '1:2' }),
          'settings_video.width',
          'rule_violated',
        ],
        ...[{ bitrate: 50_001 }, { width: 4220 }, { hevc: { level: '5' } }].map((more): Refused => [
          `hevc of 16 lines with ${JSON.stringify(more)}, which blocks of 16 cannot have`,
          video({ codec: 'hevc', width: 64, height: 16, ...more }),
          'settings_video.height',
          'rule_violated',
        ]),
        [
          'a side that level 4 does not hold, in a small picture',
          video({ codec: 'hevc', width: 4224, height: 32, hevc: { level: '4' } }),
          'settings_video.hevc.level',
          'rule_violated',
        ],
        ...[0.01, 0.99].map((fps): Refused => [
          `${fps} frames a second`,
          video({ fps }),
          'settings_video.fps',
          'rule_violated',
        ]),
        ...['1:999', '999:1'].map((aspect_ratio): Refused => [
          `a shape of ${aspect_ratio}`,
          video({ aspect_ratio }),
          'settings_video.aspect_ratio',
          'rule_violated',
        ]),
        ...['mp4a', 'opus'].flatMap((codec) =>
          [3, 4, 5, 7].map((channels): Refused => [
            `${channels} channels of ${codec}`,
            audio({ codec, channels }),
            'settings_audio.channels',
            'rule_violated',
          ]),
        ),
        [
          'opus in mono at 257 kbit/s',
          audio({ codec: 'opus', channels: 1, bitrate: 257 }),
          'settings_audio.bitrate',
          'rule_violated',
        ],
        [
          'a copy of the sound beside an encoded picture',
          audio({ codec: 'copy' }),
          'settings_audio.codec',
          'rule_violated',
        ],
        [
          'a keyframe every 0.4 s',
          video({ h264: { keyframe_interval: 0.4 } }),
          'settings_video.h264.keyframe_interval',
        ],
        ['a keyframe every 11 s', video({ hevc: { keyframe_interval: 11 } }), 'settings_video.hevc.keyframe_interval'],
        [
          'a profile of another codec',
          video({ h264: { profile: 'main10' } }),
          'settings_video.h264.profile',
          'rule_violated',
        ],
        [
          'levels that do not exist',
          video({ h264: { level: '4.3' }, hevc: { level: '4.2' } }),
          'settings_video.hevc.level settings_video.h264.level',
          'rule_violated',
        ],
        ['a preset that is none', video({ preset: 'slowest' }), 'settings_video.preset'],
        ['15 kbit/s of sound', audio({ bitrate: 15 }), 'settings_audio.bitrate'],
        ['513 kbit/s of sound', audio({ bitrate: 513 }), 'settings_audio.bitrate'],
        ['nine channels', audio({ channels: 9 }), 'settings_audio.channels'],
        ['another sample rate', audio({ sample_rate: 22_050 }), 'settings_audio.sample_rate'],
        [
          'mp3 in more than stereo, or faster than it can',
          audio({ codec: 'mp3', channels: 6, bitrate: 384 }),
          'settings_audio.channels settings_audio.bitrate',
          'rule_violated',
        ],
        ['a pipeline: it is derived', { pipeline: 'h264' }, 'pipeline'],
      ],
    );
  });

  describe('addEncodingGroup', () => {
    table(
      'addEncodingGroup',
      {},
      [
        ...bounds,
        ['no members, in the order desc', {}, { elements: [], quality_order: 'desc', pipeline: null }],
        [
          'members of one pipeline',
          (known) => ({ elements: [known.h264, known.h264Too], quality_order: 'asc' }),
          { pipeline: 'h264', quality_order: 'asc' },
        ],
      ],
      [
        ...named,
        [
          'members of two pipelines',
          (known) => ({ elements: [known.h264, known.hevc] }),
          'elements.1',
          'rule_violated',
        ],
        [
          'a member with picture beside one without',
          (known) => ({ elements: [known.audio, known.h264] }),
          'elements.1',
          'rule_violated',
        ],
        ['a member twice', (known) => ({ elements: [known.h264, known.h264] }), 'elements.1', 'rule_violated'],
        ['a member that is not there', { elements: [missing] }, 'elements.0', 'rule_violated'],
        ['more members than a ladder has rungs', { elements: [1, 2, 3, 4, 5, 6, 7] }, 'elements'],
        ['another order', { quality_order: 'best' }, 'quality_order'],
        ['a pipeline: it is derived', { pipeline: 'h264' }, 'pipeline'],
      ],
    );
  });
});
