/** Each type of Channel: all that is true of it and not of the others. A type is added here, and where it is opened (CONTRIBUTING.md). */
import type { ChannelTypeRow } from './channel-row.ts';
import { ristOfCloud } from '../network/rist.ts';
import { srtKeyBits } from '../network/srt.ts';
import { ffmpegWith } from './type-needs.ts';

/** These filters bring every source to one frame rate, size and sample rate. */
const NORMALISING = [['filter:fps'], ['filter:scale'], ['filter:pad'], ['filter:aresample']];

const CARD_NEEDS =
  'a DeckLink card, its driver (Desktop Video), and GStreamer with decklink: apt-get install gstreamer1.0-tools gstreamer1.0-plugins-good gstreamer1.0-plugins-bad';

/** The inputs of a card differ in nothing but what comes. */
const CARD = {
  required: ['deviceId', 'input'],
  optional: ['audio_groups'],
  defaults: {},
  schemes: [],
  playsAsset: false,
  place: 'named',
  pushed: null,
  allowsSecond: false,
  isSwitchable: false,
  licence: null,
  transportStream: 'never',
  cloud: 'refuses',
  needs: { requires: [['card:decklink'], ['device:matroska'], ...NORMALISING], needs: CARD_NEEDS },
  heading: null,
  needed: 'deviceId, input',
} as const;

const ROWS = {
  File: {
    required: ['filename'],
    optional: ['loop'],
    defaults: { loop: true },
    schemes: [],
    playsAsset: true,
    place: 'any',
    pushed: null,
    allowsSecond: true,
    isSwitchable: false,
    licence: null,
    transportStream: 'by name',
    cloud: 'takes',
    needs: {
      requires: [['input:file'], ...NORMALISING],
      needs: ffmpegWith('the filters fps, scale, pad and aresample'),
    },
    label: { en: 'File', es: 'Archivo' },
    heading: null,
    manual: 'an Asset of the bucket files, once or repeated',
    needed: 'filename (upload it first with uploadAsset)',
    example: { filename: 'film.mp4', loop: true },
  },
  SDI: {
    ...CARD,
    label: { en: 'SDI input', es: 'Entrada SDI' },
    manual: 'video and sound of a DeckLink card',
    example: { deviceId: 1, input: 0 },
  },
  Stream: {
    required: ['url'],
    optional: ['transport', 'rist', 'program', 'audiotrack'],
    defaults: {},
    schemes: ['http', 'https', 'rtmp', 'rtmps', 'rtsp', 'rtsps', 'udp', 'rtp', 'rist'],
    playsAsset: false,
    place: 'any',
    pushed: null,
    allowsSecond: true,
    isSwitchable: true,
    licence: null,
    transportStream: 'by name',
    cloud: 'takes',
    needs: {
      requires: [['input:http'], ['input:udp'], ['input:rtmp'], ...NORMALISING],
      needs: ffmpegWith('the protocols http, udp and rtmp'),
    },
    label: { en: 'Stream (HLS, RTMP, HTTP, RTP, UDP, RIST)', es: 'Stream (HLS, RTMP, HTTP, RTP, UDP, RIST)' },
    heading: null,
    manual: 'HLS, HTTP, RTMP, RTSP, RTP, UDP, multicast, RIST',
    needed: 'url',
    example: { url: 'https://origin.broadcaster.example/live/index.m3u8' },
  },
  'AES/EBU': {
    ...CARD,
    label: { en: 'AES/EBU sound input', es: 'Entrada de sonido AES/EBU' },
    manual: 'sound of a DeckLink card',
    example: { deviceId: 1, input: 1 },
  },
  'RTMP-Push': {
    required: ['app', 'stream_key'],
    optional: ['port', 'tls', 'allowed_senders'],
    defaults: {},
    schemes: [],
    playsAsset: false,
    place: 'any',
    pushed: {
      when: 'always',
      protocol: 'rtmp',
      key: 'stream_key',
      isKeyMade: true,
      hasOwnPort: false,
      setUp: { ingest: 'rtmp-push', name: 'RTMP push', settings: { app: 'live' } },
    },
    allowsSecond: true,
    isSwitchable: true,
    licence: null,
    transportStream: 'never',
    cloud: 'takes',
    needs: { requires: NORMALISING, needs: ffmpegWith('the filters fps, scale, pad and aresample') },
    label: { en: 'RTMP, pushed to us', es: 'RTMP, enviado a nosotros' },
    heading: 'cloud',
    manual: 'RTMP, Enhanced RTMP and RTMPS of an encoder that sends to the Device',
    needed: 'app',
    example: { app: 'live' },
  },
  'UDP-R Cloud': {
    required: ['cloudAccountId'],
    optional: ['port', 'recovery', 'buffer_ms', 'secret', 'key_bits'],
    defaults: { recovery: true },
    schemes: [],
    playsAsset: false,
    place: 'cloud',
    pushed: null,
    allowsSecond: true,
    isSwitchable: true,
    licence: null,
    transportStream: 'never',
    cloud: ({ recovery, ...sent }, port) =>
      recovery === false
        ? { type: 'Stream', settings: { url: `udp://0.0.0.0:${port}` } }
        : { type: 'Stream', settings: { url: `rist://@0.0.0.0:${port}`, rist: ristOfCloud(sent) } },
    needs: { requires: [], needs: 'a Cloud account with a gateway for UDP-R', absent: true },
    label: { en: 'UDP-R through the Cloud', es: 'UDP-R por la nube' },
    heading: 'cloud',
    manual: 'what a Cloud account receives by UDP with recovery (RIST)',
    needed: 'cloudAccountId',
    example: { cloudAccountId: 1 },
  },
  SRT: {
    required: ['host', 'port'],
    optional: ['mode', 'streamid', 'latency_ms', 'passphrase', 'encryption', 'allowed_senders'],
    defaults: { mode: 'caller', latency_ms: 200 },
    schemes: ['srt'],
    playsAsset: false,
    place: 'any',
    pushed: {
      when: 'listener',
      protocol: 'srt',
      key: 'streamid',
      isKeyMade: false,
      hasOwnPort: true,
      setUp: { ingest: 'srt-listen', name: 'SRT listener', settings: { mode: 'listener', host: '0.0.0.0' } },
    },
    allowsSecond: false,
    isSwitchable: true,
    licence: null,
    transportStream: 'always',
    cloud: 'takes',
    needs: {
      requires: [['input:srt'], ...NORMALISING],
      needs: ffmpegWith('libsrt and the filters fps, scale, pad and aresample'),
    },
    label: { en: 'SRT', es: 'SRT' },
    heading: null,
    manual: 'caller, listener, AES',
    needed: 'port, a caller host too',
    example: { mode: 'caller', host: '192.0.2.20', port: 9000, latency_ms: 200 },
  },
  'SRT Cloud': {
    required: ['cloudAccountId'],
    optional: ['port', 'latency_ms', 'passphrase', 'encryption'],
    defaults: { latency_ms: 200 },
    schemes: [],
    playsAsset: false,
    place: 'cloud',
    pushed: null,
    allowsSecond: true,
    isSwitchable: true,
    licence: null,
    transportStream: 'never',
    cloud: ({ latency_ms, passphrase, encryption }, port) => {
      const keyBits = srtKeyBits({ encryption, passphrase });
      return {
        type: 'SRT',
        settings: { mode: 'listener', host: '0.0.0.0', port, latency_ms, passphrase, encryption: keyBits },
      };
    },
    needs: { requires: [['input:srt']], needs: 'a Cloud account with a gateway for SRT', absent: true },
    label: { en: 'SRT through the Cloud', es: 'SRT por la nube' },
    heading: 'cloud',
    manual: 'what a Cloud account receives by SRT',
    needed: 'cloudAccountId',
    example: { cloudAccountId: 1, latency_ms: 200 },
  },
  NDI: {
    required: [],
    optional: ['source_name', 'discovery', 'ndi_hosts', 'audio_groups'],
    defaults: { discovery: 'auto' },
    schemes: [],
    playsAsset: false,
    place: 'any',
    pushed: null,
    allowsSecond: true,
    isSwitchable: true,
    licence: null,
    transportStream: 'never',
    cloud: 'refuses',
    needs: {
      requires: [['runtime:ndi'], ['device:matroska'], ...NORMALISING],
      needs:
        'the NDI runtime (libndi.so.6 or .5, from ndi.video) in the library path or in NDI_RUNTIME_DIR_V6, and the package koffi; without them, take the source into OBS with its NDI plug-in and push it to a Channel of type SRT or RTMP-Push',
    },
    label: { en: 'NDI', es: 'NDI' },
    heading: null,
    manual: 'a source in the network, announced or named, where the Device has the NDI runtime',
    needed: 'source_name if typed',
    example: { source_name: 'STUDIO (Camera 1)', discovery: 'typed' },
  },
  'VideoSite Live': {
    required: ['video_id'],
    optional: [],
    defaults: {},
    schemes: [],
    playsAsset: false,
    place: 'any',
    pushed: null,
    allowsSecond: true,
    isSwitchable: true,
    licence: 'videosite',
    transportStream: 'never',
    cloud: 'takes',
    needs: {
      requires: [['resolver:videosite'], ['input:http'], ...NORMALISING],
      needs:
        'a resolver for the video site: yt-dlp in the PATH of the Device (pipx install yt-dlp), or an executable file that ONAIR_VIDEOSITE_RESOLVER in its environment names',
    },
    label: { en: 'Live channel of a video site', es: 'Canal en vivo de un sitio de vídeo' },
    heading: null,
    manual: 'a live channel of a video site, by yt-dlp or a resolver of yours, and with a licence',
    needed: 'video_id',
    example: { video_id: 'aB3_dE5-gH7' },
  },
} as const satisfies Record<string, ChannelTypeRow>;

export type ChannelType = keyof typeof ROWS;
export const CHANNEL_ROWS: Readonly<Record<ChannelType, ChannelTypeRow>> = ROWS;
export const CHANNEL_TYPES = Object.keys(ROWS) as [ChannelType, ...ChannelType[]];
/** The words by which a set-up asks for a source that is pushed. */
export type IngestWord = NonNullable<(typeof ROWS)[ChannelType]['pushed']>['setUp']['ingest'];
