/**
 * The pipeline of GStreamer that takes in one input of a DeckLink card: a list of elements, as gst-launch-1.0 has them. ffmpeg's own decklink is
 * in no distribution, for its licence; that of GStreamer is, and loads the library of the card's driver when it runs.
 */
import { groupsOf } from './sound-groups.ts';

export interface CardOrder {
  kind: 'card';
  /** embedded: picture and sound of SDI. aes: the digital sound alone. */
  connection: 'embedded' | 'aes';
  input: number;
  groups?: readonly number[] | undefined;
}

/** Channels that a card can be asked for, the most first: it refuses more than it has. */
export const CHANNEL_COUNTS = [16, 8, 2];
const MEDIA_FD = 3;

/** Media waits here so long while the muxer is fed from the other side: half a second of sound, some pictures. */
const PICTURES = ['queue', 'max-size-buffers=8', 'max-size-bytes=0', 'max-size-time=0'];
const SOUND = ['queue', 'max-size-buffers=0', 'max-size-bytes=0', 'max-size-time=500000000'];

export function cardPipeline({ connection, input, groups }: CardOrder, channels: number): string[] {
  const to = (...elements: string[][]): string[] => elements.flatMap((each, i) => (i === 0 ? each : ['!', ...each]));
  const video = to(
    [
      ...['decklinkvideosrc', `device-number=${input}`, 'connection=sdi', 'mode=auto', 'video-format=auto'],
      ...['drop-no-signal-frames=true'],
    ],
    PICTURES,
    ['m.'],
  );
  const sound = to(
    ['decklinkaudiosrc', `device-number=${input}`, `connection=${connection}`, `channels=${channels}`],
    ['audioconvert'],
    [`audio/x-raw,format=F32LE,channels=${channels}`],
    ['tee', 'name=t'],
  );
  return [
    ...[
      'matroskamux',
      'name=m',
      'streamable=true',
      'min-cluster-duration=0',
      '!',
      'fdsink',
      `fd=${MEDIA_FD}`,
      'sync=false',
    ],
    ...(connection === 'embedded' ? video : []),
    ...sound,
    ...groupsOf(channels, groups).flatMap((size, i, sizes) => {
      const first = sizes.slice(0, i).reduce((sum, each) => sum + each, 0);
      return to(
        ['t.'],
        SOUND,
        ['audioconvert', `mix-matrix=${takenOf(first, size, channels)}`],
        [`audio/x-raw,format=F32LE,channels=${size}${LAYOUTS[size] ?? ''}`],
        ['m.'],
      );
    }),
  ];
}

/** One channel has no place in a room; GStreamer asks for that of all others. */
const LAYOUTS: Record<number, string> = {
  2: ',channel-mask=(bitmask)0x3',
  6: ',channel-mask=(bitmask)0x3f',
  8: ',channel-mask=(bitmask)0xc3f',
};

/** A row for each channel that goes out, a column for each that comes in. */
function takenOf(first: number, size: number, channels: number): string {
  const rows = Array.from({ length: size }, (_, row) => {
    const columns = Array.from({ length: channels }, (_, column) => `(float)${column === first + row ? 1 : 0}`);
    return `<${columns.join(',')}>`;
  });
  return `<${rows.join(',')}>`;
}

/** Reads a line of `gst-launch-1.0 -v`; undefined where it says nothing of the card. */
export function saidByCard(
  line: string,
  { connection }: Pick<CardOrder, 'connection'>,
): { signal: boolean } | { format: string } | undefined {
  const signal = /decklink\w+src\w*: signal = (true|false)/iu.exec(line)?.[1];
  if (signal !== undefined) return { signal: signal === 'true' };
  const kind = connection === 'aes' ? 'audio' : 'video';
  const caps = /src\d*\.GstPad:src: caps = (video|audio)\/x-raw(.*)/u.exec(line);
  if (caps?.[1] !== kind) return undefined;
  const of = (name: string): string | undefined => new RegExp(`${name}=\\(\\w+\\)([\\d/]+)`, 'u').exec(caps[2]!)?.[1];
  return {
    format: kind === 'audio' ? `${of('channels')} channels` : `${of('width')}x${of('height')} at ${of('framerate')}`,
  };
}
