/** ffmpeg's name of the format in which the push process hands on the media of a Channel. */
export function pushedFormat(type: string): 'mpegts' | 'flv' {
  return type === 'SRT' ? 'mpegts' : 'flv';
}
