/** Reads the address of a source as people paste it, and answers the Channel that takes it in. */
import { urlIssue, type Channel } from './channel.ts';
import { DEFAULT_RIST, isRist, withRistHost } from '../../network/rist.ts';
import { hasSetting } from '../../types/channel-questions.ts';
import type { ChannelSettings } from '../../types/channel-settings.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../../types/channel-types.ts';

type Source = Pick<Channel, 'type' | 'settings'>;

const SCHEMES = CHANNEL_TYPES.flatMap((type) => CHANNEL_ROWS[type].schemes);
/** `udp://@:5000` and `srt://:9000` mean every address of this machine; no URL may leave the host out. */
const WITHOUT_HOST = /^(srt|udp|rtp):\/\/@?(?=:)/iu;
/** SRT programs count latency in milliseconds or, as ffmpeg does, in microseconds; nobody means more than 8 s. */
const MAX_LATENCY_MS = 8000;
const KEY_BITS: Readonly<Record<string, 128 | 192 | 256>> = { '16': 128, '24': 192, '32': 256 };

/** Answers the Channel of the address, or in `problem` why there is none. The settings are checked where the Channel is made. */
export function sourceOf(address: string): Source | { problem: string } {
  const isOpen = WITHOUT_HOST.test(address);
  const text = withRistHost(address).replace(WITHOUT_HOST, '$1://0.0.0.0');
  const problem = urlIssue(text, SCHEMES);
  if (problem !== undefined) return { problem };
  const url = new URL(text);
  const type = CHANNEL_TYPES.find((each) => CHANNEL_ROWS[each].schemes.includes(url.protocol.slice(0, -1)))!;
  if (isRist(text)) return { type, settings: ristSettings(text, url) };
  if (hasSetting(type, 'url')) return { type, settings: { url: text } };
  if (url.port === '') return { problem: 'names no port; SRT has no usual one, such as srt://host:9000' };
  return { type, settings: srtSettings(url, isOpen) };
}

/** The query is that of librist. */
function ristSettings(text: string, { searchParams }: URL): ChannelSettings {
  const secret = searchParams.get('secret');
  const buffer = Number(searchParams.get('buffer') ?? Number.NaN);
  const rist = {
    ...DEFAULT_RIST,
    ...(Number.isInteger(buffer) && buffer > 0 && { buffer_ms: buffer }),
    ...(searchParams.get('aes-type') === '256' && { key_bits: 256 as const }),
    ...(secret !== null && { secret }),
  };
  return { url: text.replace(/\/?(?:[?#].*)?$/su, ''), rist };
}

/** The query is that of ffmpeg and OBS. */
function srtSettings({ hostname, port, searchParams }: URL, isOpen: boolean): ChannelSettings {
  const listens = searchParams.get('mode') === 'listener' || (isOpen && searchParams.get('mode') === null);
  const streamid = searchParams.get('streamid');
  const passphrase = searchParams.get('passphrase');
  const keyBits = KEY_BITS[searchParams.get('pbkeylen') ?? ''];
  const latency = Number(searchParams.get('latency') ?? Number.NaN);
  const latencyMs = Math.round(latency > MAX_LATENCY_MS ? latency / 1000 : latency);
  return {
    mode: listens ? 'listener' : 'caller',
    host: hostname,
    port: Number(port),
    ...(streamid !== null && !listens && { streamid }),
    ...(passphrase !== null && { passphrase }),
    ...(passphrase !== null && keyBits !== undefined && { encryption: keyBits }),
    // A source refuses a latency outside these bounds, and the usual one is better than none.
    ...(latencyMs >= 20 && latencyMs <= MAX_LATENCY_MS && { latency_ms: latencyMs }),
  };
}

/** A name for people, without anything of the address that may be secret. */
export function nameOfAddress(address: string): string {
  const text = withRistHost(address).replace(WITHOUT_HOST, '$1://0.0.0.0');
  const { protocol, host } = new URL(text);
  return `${protocol.slice(0, -1).toUpperCase()} ${host}`;
}
