/**
 * Ladders by what the platforms publish of bitrates. A best rendition keeps within the guidance of Twitch (6000 kbit/s at 1080p60, 4500 at
 * 1080p30, 3000 at 720p30) and of Facebook (4500 to 9000, 3000 to 6000, 1500 to 4000), which that of YouTube and Vimeo contains; the
 * smaller ones are in the middle of the ranges of Facebook (480p: 600 to 2000, 360p: 400 to 1000).
 */
import type { LadderId } from '../domain/shapes/encodings/preset-ids.ts';
import { ladderShape, type Ladder, type WrittenLadder } from '../domain/shapes/encodings/preset.ts';

type Rendition = WrittenLadder['encodings'][number];

const KEYFRAMES = { h264: { keyframe_interval: 2 } };

/** Without a frame rate it is that of the source, and without a width the shape is. */
function rendition(height: number, bitrate: number, fps = 0, width: number | null = null): Rendition {
  const rate = fps > 0 ? String(fps) : '';
  return { name: `${height}p${rate}`, settings_video: { height, width, bitrate, fps, ...KEYFRAMES } };
}

function fullHd(id: WrittenLadder['id'], fps: number): WrittenLadder {
  const isFast = fps > 30;
  const encodings = [
    rendition(1080, isFast ? 6000 : 4500, fps),
    rendition(720, isFast ? 4500 : 3000, fps),
    // Half the rate is enough for a small picture, and pictures of the others stay in step with it.
    rendition(480, 1200, isFast ? fps / 2 : fps),
    rendition(360, 700, isFast ? fps / 2 : fps),
  ];
  return { id, kind: 'ladder', name: `1080p, ${fps} frames a second`, encodings };
}

const WRITTEN: readonly WrittenLadder[] = [
  fullHd('1080p60', 60),
  fullHd('1080p50', 50),
  fullHd('1080p30', 30),
  fullHd('1080p25', 25),
  {
    id: '720p',
    kind: 'ladder',
    name: '720p, frames as the source',
    encodings: [rendition(720, 3000), rendition(480, 1200), rendition(360, 700)],
  },
  {
    id: '480p',
    kind: 'ladder',
    name: '480p, frames as the source',
    encodings: [rendition(480, 1200), rendition(360, 700)],
  },
  {
    id: 'vertical',
    kind: 'ladder',
    name: 'Vertical, 1080×1920',
    encodings: [rendition(1920, 4500, 30, 1080), rendition(1280, 3000, 30, 720)],
  },
  {
    id: 'audio-only',
    kind: 'ladder',
    name: 'Audio only',
    encodings: [{ name: 'Audio', settings_video: { active: false }, settings_audio: { bitrate: 128 } }],
  },
  {
    id: 'low-bandwidth',
    kind: 'ladder',
    name: 'Low bandwidth',
    encodings: [
      { ...rendition(360, 600), settings_audio: { bitrate: 64 } },
      { ...rendition(240, 300), settings_audio: { bitrate: 64 } },
    ],
  },
];

export const LADDERS: readonly Ladder[] = WRITTEN.map((ladder) => ladderShape.parse(ladder));

export function getLadder(id: LadderId): Ladder {
  const ladder = LADDERS.find((each) => each.id === id);
  // A test holds that there is one for each id.
  if (ladder === undefined) throw new TypeError(`There is no ladder ${id}.`);
  return ladder;
}
