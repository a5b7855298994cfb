/** ffmpeg's name of the format in which the push process hands on the media of a Channel. */
import { CHANNEL_ROWS, type ChannelType } from '../../domain/types/channel-types.ts';
export function pushedFormat(type: ChannelType): 'mpegts' | 'flv' {
  return CHANNEL_ROWS[type].pushed?.protocol === 'srt' ? 'mpegts' : 'flv';
}
