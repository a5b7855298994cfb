/** The header: what is on air, whether it is fresh, the clock and its zone, the account. */
import { words } from '../i18n/words.ts';
import { moment } from '../live/clock.ts';
import { heardAt, isStale, linkMode } from '../live/streams.ts';
import { alarmTone, isPaused } from '../prefs.ts';
import { shownZone } from '../shown-zone.ts';
import { Button } from '../ui/button.tsx';
import { isNarrow } from '../ui/narrow.ts';
import { Icon } from '../ui/show/icon.tsx';
import { clockText, zoneName } from '../zone.ts';
import { AccountMenu } from './account-menu.tsx';
import { acknowledgeLoss, isLossOpen } from './alarm/alarm.ts';
import { useEarlierFaults } from './alarm/earlier-faults.ts';
import { isPaletteOpen } from './palette.tsx';
import { summary } from './states.ts';
import { ZoneChoice } from './zone-choice.tsx';

/** Above a monitor on the wall it only shows. */
export function Header({ isMonitor }: { isMonitor: boolean }) {
  const w = words.value;
  useEarlierFaults();
  return (
    <header class="header">
      <strong class="brand">
        <span>onair</span>
      </strong>
      <Summary />
      <span role="status" aria-label={w.connectionLabel} class="connection" data-mode={linkMode.value}>
        {connectionText()}
      </span>
      {isLossOpen.value && alarmTone.value === 'on' && (
        <Button kind="quiet" onPress={acknowledgeLoss}>
          {w.silence}
        </Button>
      )}
      {isPaused.value && <span class="connection">{w.paused}</span>}
      <span class="grow" />
      {!isMonitor && (
        <button
          type="button"
          class="button button-quiet to-commands"
          aria-keyshortcuts="Control+K"
          onClick={() => (isPaletteOpen.value = true)}
        >
          <Icon name="search" /> <span>{w.commands}</span> <kbd aria-hidden="true">Ctrl K</kbd>
        </button>
      )}
      <Clock />
      {!isMonitor && (
        <>
          {!isNarrow.value && <ZoneChoice />}
          <AccountMenu />
        </>
      )}
    </header>
  );
}

function Clock() {
  return (
    <span class="clock">
      {clockText(moment.value, shownZone.value)} <small>{zoneName(moment.value, shownZone.value)}</small>
    </span>
  );
}

/** The shapes are for eyes; the words alone are the text of the status. */
function Summary() {
  const { onAir, failing, starting, unknown } = summary.value;
  if (isStale.value)
    return (
      <span role="status" aria-label={words.value.summaryLabel} class="summary soft">
        {words.value.notKnown(unknown)}
      </span>
    );
  const [onAirText = '', failingText = '', startingText = ''] = words.value
    .summary(onAir, failing, starting)
    .split(' · ');
  return (
    <span role="status" aria-label={words.value.summaryLabel} class="summary">
      <span class={onAir > 0 ? 'ok' : 'soft'} data-mark="●">
        {onAirText}
      </span>
      {' · '}
      <span class={failing > 0 ? 'fault' : 'soft'} data-mark="✕">
        {failingText}
      </span>
      {' · '}
      <span class="soft" data-mark="◌">
        {startingText}
      </span>
    </span>
  );
}

function connectionText(): string {
  const { connection } = words.value;
  if (linkMode.value === 'live') return connection.live;
  if (linkMode.value === 'asking') return connection.asking;
  return heardAt.value === 0 ? connection.connecting : connection.asOf(clockText(heardAt.value, shownZone.value));
}
