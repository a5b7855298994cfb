/** A confirmation says this while the feed is silent. */
import { heardAt, isStale } from '../../../../live/streams.ts';
import { shownZone } from '../../../../shown-zone.ts';
import { clockText } from '../../../../zone.ts';
import { words } from '../../words.ts';

export function StaleNote() {
  if (!isStale.value) return null;
  return <p class="soft">{words.value.acts.staleNote(clockText(heardAt.value, shownZone.value))}</p>;
}
