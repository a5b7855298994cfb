/** The facts of a Recording, with its retention and backup. */
import type { ComponentChildren } from 'preact';
import { can } from '../../../api/can.ts';
import { useOne } from '../../../api/reads.ts';
import { Time } from '../../../ui/show/time.tsx';
import { durationText } from '../../../zone.ts';
import { sizeText } from '../list/texts.ts';
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
      <dl class="facts">
        {errorstatus !== null && <Fact name={f.reason}>{errorstatus}</Fact>}
        <Fact name={f.begun}>
          <Time at={recording.started_at} />
        </Fact>
        {end !== null && (
          <Fact name={f.ended}>
            <Time at={end} />
          </Fact>
        )}
        <Fact name={f.length}>{durationText(recording.duration_seconds)}</Fact>
        <Fact name={f.size}>{sizeText(bytes)}</Fact>
        <Fact name={f.format}>
          {recording.container.toUpperCase()}
          {files > 1 && ` · ${w.severalFiles(files)}`}
        </Fact>
        {qualities.length > 0 && <Fact name={f.qualities}>{qualities.join(', ')}</Fact>}
        {tracks.length > 0 && (
          <Fact name={f.tracks}>
            <ol class="tracks" aria-label={f.tracks}>
              {tracks.map((track) => (
                <li key={track.trackId}>{trackText(track)}</li>
              ))}
            </ol>
          </Fact>
        )}
        <Fact name={f.deletion}>
          {days === null || end === null ? (
            (days === null && w.never) || `+${days} d`
          ) : (
            <Time at={Date.parse(end) + days * DAY_MS} show="date" />
          )}
        </Fact>
        <Fact name={f.backup}>
          <Backup recording={recording} />
        </Fact>
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
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
