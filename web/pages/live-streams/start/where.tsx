/** The place where a Live stream is to run: the server's targets, best first, each with what speaks for it or against it. */
import { reasonText } from '../../../i18n/problem-text.ts';
import { language } from '../../../i18n/words.ts';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { words } from '../words.ts';
import { targetKey, type Target } from './choices.ts';

interface WhereProps {
  targets: readonly Target[];
  chosen: Target | undefined;
  onChoose: (key: string) => void;
}

export function Where({ targets, chosen, onChoose }: WhereProps) {
  const w = words.value;
  return (
    <RadioGroup
      label={w.where}
      isLabelShown
      look="list"
      value={chosen === undefined ? undefined : targetKey(chosen)}
      onValue={onChoose}
      options={targets.map((target) => ({
        value: targetKey(target),
        label: target.name,
        details: detailsOf(target),
        disabled: !target.available,
      }))}
    />
  );
}

function detailsOf({ kind, recommended, reason, load, slots }: Target): string {
  const w = words.value;
  return [
    w.kinds[kind],
    recommended && w.recommended,
    load !== null && w.load(load),
    slots !== null && w.free(slots.free, slots.total),
    reason && (language.value === 'en' ? reason.message : reasonText(reason.code)),
  ]
    .filter(Boolean)
    .join(' · ');
}
