/** One Asset in the drawer: picture, figures, who uses it. */
import { useList } from '../../api/reads.ts';
import { formWords } from '../../i18n/form-words.ts';
import { hrefOf } from '../../route.ts';
import { StreamState } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { Time } from '../../ui/show/time.tsx';
import { durationText } from '../../zone.ts';
import { sizeText } from '../../ui/show/size-text.ts';
import { addressOf, type Asset } from './bucket.ts';
import { words } from './words.ts';

export function AssetDetails({ row }: { row: Asset }) {
  const w = words.value;
  const { duration_seconds: length, width, height } = row;
  return (
    <>
      {row.fileType === 'logos' && <LogoPicture row={row} size="large" />}
      <Facts
        of={[
          [w.length, length !== null && durationText(length)],
          [w.dimensions, width !== null && height !== null && `${width} × ${height}`],
          [w.size, sizeText(row.size_bytes)],
          [w.kind, row.content_type],
          [w.changed, <Time at={row.updated_at} />],
        ]}
      />
      <p>
        <a href={addressOf(row)} download={row.filename} aria-label={w.download(row.filename)}>
          {w.downloadText}
        </a>
      </p>
      <AssetUsers row={row} />
    </>
  );
}

/** A logo is light or dark, and mostly transparent: one ground alone would hide one of them. */
export function LogoPicture({ row, size }: { row: Asset; size: 'small' | 'large' }) {
  const w = words.value;
  const address = addressOf(row);
  return (
    <span class={`logo-pictures logo-pictures-${size}`}>
      <span class="checkers">
        <img src={address} alt={w.onCheckers(row.filename)} loading="lazy" />
      </span>
      <span class="black">
        <img src={address} alt={w.onBlack(row.filename)} loading="lazy" />
      </span>
    </span>
  );
}

/** The server takes no more in one page. */
const MAX_ROWS = 500;

function AssetUsers({ row: { fileType, filename } }: { row: Asset }) {
  const w = words.value;
  const isFile = fileType === 'files';
  const streams = useList('getAllLivestreams', { pageSize: MAX_ROWS, sort: 'name', isWanted: fileType !== 'clips' });
  const sources = useList('getAllChannels', { pageSize: MAX_ROWS, params: { type: 'File' }, isWanted: isFile });
  const users = streams.rows.filter(({ logo, fallback }) =>
    isFile ? fallback.filename === filename : logo?.filename === filename,
  );
  const played = isFile ? sources.rows.filter(({ settings }) => settings.filename === filename) : [];
  return (
    <section>
      <h3>{formWords.value.users}</h3>
      {users.length + played.length === 0 && <p class="soft">{formWords.value.none}</p>}
      <ul class="plain-list" aria-label={formWords.value.users}>
        {played.map(({ id, name }) => (
          <li key={`source ${id}`}>
            {w.source} <a href={hrefOf('sources')}>{name}</a>
          </li>
        ))}
        {users.map(({ id, name }) => (
          <li key={id}>
            {w.liveStream} <a href={hrefOf('live-streams', id)}>{name}</a> <StreamState id={id} />
          </li>
        ))}
      </ul>
    </section>
  );
}
