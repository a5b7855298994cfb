/** One Destination in the drawer. */
import { PACKAGED_TYPES, SRT_TYPES } from '../../gen/types.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { DrmCard } from './drm-card.tsx';
import { PathCell, type Destination } from './paths.tsx';
import { retryText } from './retry-text.ts';
import { DELIVERED, useOf } from './types.ts';
import { words } from './words.ts';

export function DestinationDetails({ row }: { row: Destination }) {
  const w = words.value;
  const { settings, type } = row;
  const isWeb = PACKAGED_TYPES.includes(type);
  const isSrt = SRT_TYPES.includes(type);
  const days = settings.delete_after;
  return (
    <>
      <Facts
        of={[
          [fieldLabel('type'), w.types[type]],
          [w.use, w.uses[useOf(type)]],
          [w.key, settings.stream_key !== null && w.keySet],
          [fieldLabel('username'), settings.username],
          [fieldLabel('password'), settings.has_password && formWords.value.isSet],
          [fieldLabel('access_key'), settings.has_access_key === true && formWords.value.isSet],
          [fieldLabel('secret_key'), settings.has_secret_key === true && formWords.value.isSet],
          [fieldLabel('settings.srt.latency_ms'), isSrt && settings.srt.latency_ms],
          [fieldLabel('settings.srt.encryption'), isSrt && w.encryptions[settings.srt.encryption]],
          [fieldLabel('access'), isWeb && w.accesses[row.access]],
          [fieldLabel('segment_duration'), isWeb && settings.segment_duration],
          [fieldLabel('playlist_length'), isWeb && settings.playlist_length],
          [fieldLabel('time_shift_buffer_depth'), isWeb && settings.time_shift_buffer_depth],
          [fieldLabel('low_latency'), isWeb && settings.low_latency && formWords.value.yes],
          [fieldLabel('delete_after'), days !== null && w.days(days)],
          [fieldLabel('asset_id'), row.asset_id],
          [fieldLabel('description'), row.description],
        ]}
      />
      <div class="two-paths">
        {(['primary', 'backup'] as const).map((side) => (
          <section key={side}>
            <h3>{w[side]}</h3>
            <PathCell row={row} side={side} />
          </section>
        ))}
      </div>
      {DELIVERED.includes(type) && (
        <section>
          <h3>{w.retry}</h3>
          <p>{retryText(row.retry, w)}</p>
        </section>
      )}
      {isWeb && <DrmCard drm={row.drm} />}
      <UsedBy filter={{ publishingId: row.id }} />
    </>
  );
}
