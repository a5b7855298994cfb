/** The facts of a Recording, with its retention and backup. */
import { can } from '../../../api/can.ts';
import { useOne } from '../../../api/reads.ts';
import { reportAddress } from '../../../api/call.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Facts } from '../../../ui/show/facts.tsx';
import { Cause } from '../../../ui/show/cause.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { durationText } from '../../../zone.ts';
import { sizeText } from '../../../ui/show/size-text.ts';
import { words } from '../words.ts';
import type { Recording } from './use-recording.ts';

const DAY_MS = 86_400_000;

export function Details({ recording }: { recording: Recording }) {
  const w = words.value;
  const f = w.facts;
  const { errorstatus, files, tracks, qualities, ended_at: end, size_bytes: bytes, delete_after: days } = recording;
  return (
    <section class="panel" aria-labelledby="details-heading">
      <h3 id="details-heading">{w.details}</h3>
      <Facts
        of={[
          [f.reason, errorstatus !== null && <Cause key="reason" folds text={errorstatus} />],
          [f.begun, <Time at={recording.started_at} />],
          [f.ended, end !== null && <Time at={end} />],
          [f.length, durationText(recording.duration_seconds)],
          [f.size, sizeText(bytes)],
          [f.format, `${recording.container.toUpperCase()}${files > 1 ? ` · ${w.severalFiles(files)}` : ''}`],
          [f.qualities, qualities.join(', ')],
          [f.tracks, tracks.length > 0 && <Tracks of={tracks} label={f.tracks} />],
          [f.deletion, <Deletion days={days} end={end} />],
          [f.backup, <Backup recording={recording} />],
          [f.report, can('getRunReport') && <Report of={recording} />],
        ]}
      />
    </section>
  );
}

function Report({ of: { livestreamId, started_at: from, ended_at: end } }: { of: Recording }) {
  const address = reportAddress({ livestreamId, from, ...(end !== null && { to: end }), timezone: shownZone.value });
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {words.value.openReport}
    </a>
  );
}

function Tracks({ of, label }: { of: Recording['tracks']; label: string }) {
  return (
    <ol class="tracks" aria-label={label}>
      {of.map((track) => (
        <li key={track.trackId}>{trackText(track)}</li>
      ))}
    </ol>
  );
}

/** The date once the Recording has ended; before, how long it is kept. */
function Deletion({ days, end }: { days: number | null; end: string | null }) {
  if (days === null) return <>{words.value.never}</>;
  return end === null ? <>{`+${days} d`}</> : <Time at={Date.parse(end) + days * DAY_MS} show="date" />;
}

function trackText({ kind, codec, width, height, bitrate_kbps: rate, language }: Recording['tracks'][number]): string {
  const size = width === null || height === null ? undefined : `${width}×${height}`;
  const parts = [words.value.track(kind), size, codec, rate === null ? undefined : `${Math.round(rate)} kbit/s`];
  return [...parts, language ?? undefined].filter((part) => part !== undefined).join(' ');
}

/** The list of Remote Folders is for Administrators: others see the number. */
function Backup({ recording }: { recording: Recording }) {
  const w = words.value;
  const { backup, remotefolder: id } = recording;
  const isNamed = id !== null && can('getRemoteFolderById');
  const folder = useOne('getRemoteFolderById', isNamed ? { folderId: id } : undefined).data;
  if (id === null) return <>{w.noBackup}</>;
  const name = folder?.name ?? w.folderNumber(id);
  if (backup === null) return <>{`${name}, ${w.backupLater}`}</>;
  if (backup.state === 'verified')
    return (
      <>
        {name} <span class="ok">✓ {w.verified}</span> <Time at={backup.verified_at} />
      </>
    );
  return (
    <>
      {name} <span class="warn">▲ {w.backupWaits(backup.attempts)}</span> {backup.error}{' '}
      {backup.next_at !== null && (
        <>
          {w.backupNext} <Time at={backup.next_at} show="time" />
        </>
      )}
    </>
  );
}
