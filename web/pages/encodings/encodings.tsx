/** The tab of single Encodings. */
import { useList } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { ExpectedCores } from './cores.tsx';
import { audioText, bitrateOf, videoText, type Encoding } from './encoding-text.ts';
import { words } from './words.ts';

function encodings() {
  const w = words.value;
  const { codecs } = w;
  return defineResource({
    list: 'getAllEncodings',
    one: 'getEncodingById',
    add: 'addEncoding',
    update: 'updateEncoding',
    remove: 'deleteEncoding',
    idParam: 'encodingId',
    page: 'encodings',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.title, add: w.add, empty: w.empty }),
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: (row) => row.name, sortBy: 'name' },
      { id: 'video', label: w.video, cell: (row) => videoText(row, w) },
      { id: 'audio', label: w.audio, cell: (row) => audioText(row, w), isMinor: true },
      { id: 'total', label: w.total, cell: (row) => w.rate(String(bitrateOf(row))), align: 'end' },
      { id: 'pipeline', label: w.pipeline, cell: (row) => row.pipeline, isMinor: true },
    ],
    drawer: (row) => <EncodingDetails row={row} />,
    layout: {
      order: [
        'settings_video.active',
        'settings_video.codec',
        'settings_video.width',
        'settings_video.height',
        'settings_video.fps',
        'settings_video.bitrate',
      ],
      advanced: [
        'settings_video.aspect_ratio',
        'settings_video.deinterlace',
        'settings_video.hdr_mode',
        'settings_video.hdr',
        'settings_video.encoder',
        'settings_video.h264',
        'settings_video.hevc',
        'settings_audio.sample_rate',
      ],
      choices: {
        'settings_video.codec': codecs,
        'settings_audio.codec': codecs,
        'settings_video.deinterlace': w.deinterlaces,
        'settings_video.hdr_mode': w.hdr,
        'settings_video.hdr.mastering.primaries': w.primaries,
        'settings_video.encoder': w.encoders,
        'settings_audio.channels': w.layouts,
      },
    },
  });
}

export function Encodings() {
  return <ResourcePage of={encodings()} />;
}

function EncodingDetails({ row }: { row: Encoding }) {
  const w = words.value;
  const { settings_video: video } = row;
  const options = video.codec === 'hevc' ? video.hevc : video.codec === 'h264' ? video.h264 : undefined;
  return (
    <>
      <Facts
        of={[
          [w.video, videoText(row, w)],
          [fieldLabel('bitrate'), video.active && video.codec !== 'copy' && video.bitrate],
          [fieldLabel('preset'), video.active && video.codec !== 'copy' && video.preset],
          [w.keyframes, video.active && options?.keyframe_interval],
          [w.audio, audioText(row, w)],
          [w.pipeline, row.pipeline],
          [fieldLabel('description'), row.description],
        ]}
      />
      <InGroups id={row.id} />
      <ExpectedCores filter={{ encodingId: row.id }} />
      <UsedBy filter={{ encodingId: row.id }} />
    </>
  );
}

/** More groups than these are told as a number by their own tab. */
const MAX_GROUPS = 500;

function InGroups({ id }: { id: number }) {
  const { rows } = useList('getAllEncodingGroups', { sort: 'name', pageSize: MAX_GROUPS });
  const names = rows.filter(({ elements }) => elements.includes(id)).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <section>
      <h3>{words.value.inGroups}</h3>
      <p>{names.join(', ')}</p>
    </section>
  );
}
