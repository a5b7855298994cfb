/** Arguments of the SRT source. Host, options and passphrase go through the list on stdin: no process list shows them. */
import type { ChannelSettings } from '../../../domain/channel.ts';
import { srtKeyBits } from '../../../domain/srt.ts';
import { LIVE_FORMATS } from '../../ffmpeg/input-rules.ts';
import { concatList, listArgs, LIVE_PROBE, UNMEASURED, type IngestInput } from './ingest-args.ts';

/** Between two listeners a caller finds nobody; libsrt asks every 250 ms for 3 s, so it does not notice so short a gap. */
const LISTEN_AGAIN_MS = 200;
/**
 * A peer that is connected and silent: viewers have seen the slate for a second by then, and a peer that comes back finds the door
 * open. libsrt itself notices a dead one after 5 s only. It does not bound the wait for a caller.
 */
const LISTENER_SILENCE_US = '2000000';
/** The caller's bounds its attempts, too: no shorter than libsrt's own patience. */
const CALLER_SILENCE_US = '3000000';
/** Host and port must be there: channelIssues has seen to it. */
export function srtInput(settings: ChannelSettings): IngestInput {
  const listens = settings.mode === 'listener';
  const bits = srtKeyBits(settings);
  const options: Record<string, string> = {
    ...UNMEASURED,
    mode: listens ? '1' : '0',
    // Microseconds, unlike srt-live-transmit's milliseconds.
    latency: String((settings.latency_ms ?? 200) * 1000),
    timeout: listens ? LISTENER_SILENCE_US : CALLER_SILENCE_US,
    // As an option, not in the URL: ffmpeg takes an `&` or `+` there for its own and decodes no escapes.
    // Not `streamid`: ffmpeg has an option of that name of its own.
    ...(settings.streamid !== undefined && { srt_streamid: settings.streamid }),
    ...(bits !== 0 && { passphrase: settings.passphrase!, pbkeylen: String(bits / 8), enforced_encryption: '1' }),
  };
  return {
    args: [...LIVE_PROBE, ...listArgs('srt')],
    list: concatList(`srt://${bracketed(settings.host!)}:${settings.port}`, LIVE_FORMATS, options),
    ...(listens && { listens: { againMs: LISTEN_AGAIN_MS } }),
  };
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
