/** The set-up that the blocks of a page take for granted, and their order where it is not that of the page. */
import { fencesOf, type Fence } from './fences.ts';

interface SetUp {
  /** Shell lines that come first. */
  first?: string;
  /** The blocks that are run, counted from 0 without those that are marked. */
  order?: readonly number[];
}

const broadcast = (name: string): string => `
cp talk.mp4 first.mp4
onair upload first.mp4 --type files
onair call addChannel --name Talk --type File --settings.filename first.mp4
onair call addEncoding --name 360p --settings_video.height 360 --settings_video.bitrate 700
onair call addPublishing '{ "name": "RTMP", "type": "RTMP",
  "settings": { "url": "rtmp://127.0.0.1:9/app", "stream_key": "first" } }'
onair call addPublishing --name Web --type "HLS / TS"
onair call addPublishingGroup --name Both --elements 1,2
onair call addLivestream --name "${name}" --channelId 1 --encodingId 1 --publishingGroupId 1
`;

export const SET_UPS: Readonly<Record<string, SetUp>> = {
  // The second block is about a broadcast that there is already.
  'README.md': { order: [1, 0] },
  'docs/rest.md': { first: broadcast('Show') },
  'docs/upkeep.md': { first: "echo 'a passphrase of three words' > passphrase.txt" },
  // The source that it switches to is what the broadcast delivers.
  'docs/manual.md': {
    first: `${broadcast('Sunday service')}
watch=$(onair start "Sunday service" | grep -o 'http://[^ ]*m3u8')
onair call addChannel --name Second --type Stream --settings.url "$watch"
onair call addChannel --name "Camera 2" --type Stream --settings.url "$watch"
cp bug.png logo.png
echo '{ "stream_key": "second" }' > key.json`,
  },
};

/** The blocks of a page that are run, behind its set-up, in their order. */
export function runnableOf(page: string): Fence[] {
  const { first, order } = SET_UPS[page] ?? {};
  const blocks = fencesOf(page).filter(({ marks }) => marks.length === 0);
  const ordered = order === undefined ? blocks : order.map((at) => blocks[at]!);
  if (ordered.length !== blocks.length) throw new Error(`The order of the blocks of ${page} leaves some out.`);
  if (first === undefined || blocks.length === 0) return ordered;
  return [{ page: `the set-up of ${page}`, line: 0, text: first, marks: [], before: '' }, ...ordered];
}
