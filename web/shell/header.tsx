/** The header: what is on air, whether it is fresh, the clock and its zone, the account. */
import { useSignal } from '@preact/signals';
import { words } from '../i18n/words.ts';
import { signOut } from '../api/sign-in.ts';
import { session } from '../api/session.ts';
import { moment } from '../live/clock.ts';
import { shownZone } from '../shown-zone.ts';
import { heardAt, healthOfStream, linkMode, streamIds, streamSignal } from '../live/streams.ts';
import { languageChoice, theme, timeZoneChoice } from '../prefs.ts';
import { clockText, zoneName } from '../zone.ts';

export function Header() {
  const w = words.value;
  return (
    <header class="header">
      <strong>onair</strong>
      <Summary />
      <span role="status" aria-label={w.connectionLabel} class="soft">
        {connectionText()}
      </span>
      <span class="grow" />
      <span>
        {clockText(moment.value, shownZone.value)} ({zoneName(moment.value, shownZone.value)})
      </span>
      <fieldset class="zones" role="radiogroup" aria-label={w.timeZone}>
        {(['station', 'mine', 'utc'] as const).map((zone) => (
          <label key={zone}>
            <input
              type="radio"
              name="zone"
              checked={timeZoneChoice.value === zone}
              onChange={() => (timeZoneChoice.value = zone)}
            />
            {w.zones[zone]}
          </label>
        ))}
      </fieldset>
      <Account />
    </header>
  );
}

function Summary() {
  const ids = streamIds.value;
  const states = ids.map((id) => healthOfStream(id)?.state);
  const onAir = ids.filter((id) => streamSignal(id)?.value.status.status === 2).length;
  const failing = states.filter((state) => state === 'failing' || state === 'failed').length;
  const starting = states.filter((state) => state === 'starting').length;
  document.title = failing > 0 ? `(${failing}!) onair` : 'onair';
  return (
    <span role="status" aria-label={words.value.summaryLabel}>
      {words.value.summary(onAir, failing, starting)}
    </span>
  );
}

function connectionText(): string {
  const { connection } = words.value;
  if (linkMode.value === 'live') return connection.live;
  if (linkMode.value === 'asking') return connection.asking;
  return heardAt.value === 0 ? connection.connecting : connection.asOf(clockText(heardAt.value, shownZone.value));
}

function Account() {
  const isOpen = useSignal(false);
  const w = words.value;
  return (
    <div class="menu" onKeyDown={(event) => event.key === 'Escape' && (isOpen.value = false)}>
      <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {w.account(session.value?.user ?? '')}
      </button>
      {isOpen.value && (
        <div class="menu-list">
          <label>
            <input
              type="checkbox"
              checked={theme.value === 'light'}
              onChange={() => (theme.value = theme.value === 'light' ? 'dark' : 'light')}
            />
            {w.lightTheme}
          </label>
          <label>
            {w.language}
            <select
              value={languageChoice.value}
              onChange={({ currentTarget }) => (languageChoice.value = currentTarget.value as 'auto' | 'en' | 'es')}
            >
              {(['auto', 'en', 'es'] as const).map((language) => (
                <option key={language} value={language}>
                  {w.languages[language]}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => void signOut()}>
            {w.signOut}
          </button>
        </div>
      )}
    </div>
  );
}
