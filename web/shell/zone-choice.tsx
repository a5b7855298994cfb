/** The zone that times are shown in: in the header, or in the account's menu where a phone has no room for it. */
import { words } from '../i18n/words.ts';
import { timeZoneChoice } from '../prefs.ts';
import { RadioGroup } from '../ui/radio-group.tsx';

export function ZoneChoice() {
  const w = words.value;
  return (
    <RadioGroup
      label={w.timeZone}
      value={timeZoneChoice.value}
      options={(['station', 'mine', 'utc'] as const).map((value) => ({ value, label: w.zones[value] }))}
      onValue={(value) => (timeZoneChoice.value = value)}
    />
  );
}
