/** The rows that belong to a Live stream: its Recordings, its Schedules, the configuration of its last start. */
import type { DataOf } from '../../../api/operation-types.ts';
import { useAll } from '../../../api/all.ts';
import { useList } from '../../../api/reads.ts';
import { words as shared } from '../../../i18n/words.ts';
import { hrefOf } from '../../../route.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { durationText } from '../../../zone.ts';
import type { Parts } from '../list/parts.ts';
import { words } from '../words.ts';

export function Recordings({ id }: { id: number }) {
  const w = words.value;
  const list = useList('getRecordings', { params: { livestreamId: id }, sort: '-started_at', pageSize: 20 });
  if (list.total === undefined && list.error === null) return <Outline rows={3} />;
  return (
    <>
      <ProblemAlert problem={list.error} />
      {list.total === 0 && <p class="soft">{w.noRecordings}</p>}
      <ul class="stream-plain stream-rows">
        {list.rows.map(({ id: recordingId, name, started_at, duration_seconds, status }) => (
          <li key={recordingId}>
            <a href={hrefOf('recordings', recordingId)}>{name}</a>
            <small class="soft">
              <Time at={started_at} /> · {durationText(duration_seconds)} · {w.statusOf[status]}
            </small>
          </li>
        ))}
      </ul>
      {list.hasMore && <Button onPress={list.more}>{shared.value.ui.more}</Button>}
    </>
  );
}

export function Schedules({ id }: { id: number }) {
  const w = words.value;
  const { rows, error, total } = useAll('getAllSchedules', { livestreamId: id });
  const coming = useList('getScheduleOccurrences', { params: { livestreamId: id }, pageSize: 20 });
  const names = new Map(rows.map((row) => [row.id, row.name]));
  if (total === undefined && error === null) return <Outline rows={3} />;
  return (
    <>
      <ProblemAlert problem={error ?? coming.error} />
      {total === 0 && <p class="soft">{w.noSchedules}</p>}
      <ul class="stream-plain stream-rows">
        {rows.map(({ id: scheduleId, name, enabled, timezone }) => (
          <li key={scheduleId}>
            <a href={hrefOf('scheduler')}>{name}</a>
            <small class="soft">
              {timezone}
              {!enabled && ` · ${w.paused}`}
            </small>
          </li>
        ))}
      </ul>
      {coming.rows.length > 0 && (
        <ol class="stream-plain stream-rows">
          {coming.rows.map(({ scheduleId, start, end }) => (
            <li key={`${scheduleId} ${start}`}>
              <span>{names.get(scheduleId) ?? scheduleId}</span>
              <small class="soft">
                <Time at={start} /> – <Time at={end} show="time" />
              </small>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

export function LastStart({ stream, parts }: { stream: DataOf<'getLivestreamById'>; parts: Parts }) {
  const w = words.value;
  if (stream.startConfig.length === 0) return <p class="soft">{w.neverStarted}</p>;
  return (
    <ul class="stream-plain stream-rows">
      {stream.startConfig.map(({ publishingId, primary, backup, qualities }) => (
        <li key={publishingId}>
          <a href={hrefOf('destinations', publishingId)}>{parts.outlets.get(publishingId)?.name ?? publishingId}</a>
          <small class="soft">
            {[
              primary && w.primary,
              backup && w.backup,
              qualities === undefined
                ? w.severities.all
                : qualities.map((id) => parts.encodings.get(id)?.name ?? id).join(', '),
            ]
              .filter(Boolean)
              .join(' · ')}
          </small>
        </li>
      ))}
    </ul>
  );
}
