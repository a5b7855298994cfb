/** Arguments of the SRT source. Host, options and passphrase go through the list on stdin: no process list shows them. */
import { srtKeyBits } from '../../../domain/network/srt.ts';
import { LIVE_FORMATS } from '../../ffmpeg/input-rules.ts';
import { concatList, listArgs, LIVE_PROBE, UNMEASURED, type IngestInput } from './ingest-args.ts';
import type { ChannelSettings } from '../../../domain/types/channel-settings.ts';

/** Between two listeners a caller finds nobody; libsrt asks every 250 ms for 3 s, so it does not notice so short a gap. */
const LISTEN_AGAIN_MS = 200;
/**
 * After so long a peer that is connected and silent is given up: viewers have seen the slate for a second by then, and a peer that comes
 * back finds a listener. libsrt itself notices a dead one after 5 s only. It does not bound the wait for a caller.
 */
const LISTENER_SILENCE_US = '2000000';
/** This bounds a caller's attempts, too, and is no shorter than libsrt's own 3 s. */
const CALLER_SILENCE_US = '3000000';
/** Host and port must be there: channelIssues has seen to it. */
export function srtInput(settings: ChannelSettings): IngestInput {
  const listens = settings.mode === 'listener';
  const bits = srtKeyBits(settings);
  const options: Record<string, string> = {
    ...UNMEASURED,
    mode: listens ? '1' : '0',
    // ffmpeg takes microseconds, unlike srt-live-transmit with its milliseconds.
    latency: String((settings.latency_ms ?? 200) * 1000),
    timeout: listens ? LISTENER_SILENCE_US : CALLER_SILENCE_US,
    // It is an option, not a part of the URL, where ffmpeg takes an `&` or `+` for its own and decodes no escapes. The name is not
    // `streamid`, because ffmpeg has an option of that name of its own.
    ...(settings.streamid !== undefined && { srt_streamid: settings.streamid }),
    ...(bits !== 0 && { passphrase: settings.passphrase!, pbkeylen: String(bits / 8), enforced_encryption: '1' }),
  };
  return {
    args: [...LIVE_PROBE, ...listArgs('srt')],
    list: concatList(`srt://${bracketed(settings.host!)}:${settings.port}`, LIVE_FORMATS, options),
    comesLive: true,
    ...(listens && { listens: { againMs: LISTEN_AGAIN_MS } }),
  };
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
