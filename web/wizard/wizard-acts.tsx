/** The buttons of the wizard. */
import { can } from '../api/can.ts';
import { hrefOf } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { isWizardAsked } from './asked.ts';
import type { Fields } from './fields.ts';
import { cancelSending, isBusy, progress } from './set-up.ts';
import { words } from './words.ts';

export function WizardActs({ fields }: { fields: Fields }) {
  const { options } = fields;
  const w = words.value;
  const sent = progress.value;
  const isSending = isBusy.value && sent !== undefined && sent < 1;
  return (
    <div class="acts">
      <Button
        kind="main"
        icon="radio"
        submits
        busy={isBusy.value && (isSending ? w.sending(Math.round(sent * 100)) : w.working)}
      >
        {options.start.value && options.begins.value === '' ? w.button : w.buttonLater}
      </Button>
      {!isBusy.value && <Button onPress={() => fields.submit(true)}>{w.plan}</Button>}
      {!isBusy.value && isWizardAsked.value && (
        <Button kind="quiet" onPress={() => (isWizardAsked.value = false)}>
          {w.close}
        </Button>
      )}
      {isSending && <Button onPress={cancelSending}>{w.cancel}</Button>}
      {!isBusy.value && can('addLivestream') && (
        <a href={hrefOf('live-streams', undefined, { new: 'all' })}>{w.allSettings}</a>
      )}
    </div>
  );
}
