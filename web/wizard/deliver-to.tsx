/** The broadcast goes to this server or a platform, with its address and key, and to further ones beside it. */
import type { Signal } from '@preact/signals';
import type { RowOf } from '../api/operation-types.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ChoiceField } from './options-fields.tsx';
import { fieldOf, newDelivery, type Delivery } from './options.ts';
import { words } from './words.ts';

/** A set-up takes no more. */
const MAX_DELIVERIES = 19;

interface DeliverToProps {
  deliveries: Signal<readonly Delivery[]>;
  templates: readonly RowOf<'listPresets'>[];
  errorOf: (field: string) => string | undefined;
}

export function DeliverTo({ deliveries, templates, errorOf }: DeliverToProps) {
  const w = words.value;
  const all = deliveries.value;
  return (
    <>
      {all.map((delivery, place) => (
        <div
          key={place}
          class={all.length > 1 ? 'wizard-delivery' : undefined}
          role="group"
          aria-label={w.placeOf(place + 1)}
        >
          <ChoiceField label={w.to} value={delivery.template} usual={w.here} rows={templates} />
          {delivery.template.value !== '' && (
            <Platform delivery={delivery} errorOf={(name) => errorOf(fieldOf(name, place, all.length))} />
          )}
          {all.length > 1 && (
            <Button
              kind="quiet"
              icon="x"
              label={w.removeOf(place + 1)}
              onPress={() => (deliveries.value = all.filter((each) => each !== delivery))}
            >
              {w.remove}
            </Button>
          )}
        </div>
      ))}
      {all.length < MAX_DELIVERIES && (
        <p>
          <Button kind="quiet" icon="plus" onPress={() => (deliveries.value = [...all, newDelivery()])}>
            {w.anotherPlace}
          </Button>
        </p>
      )}
    </>
  );
}

interface PlatformProps {
  delivery: Delivery;
  errorOf: (name: 'url' | 'stream_key') => string | undefined;
}

function Platform({ delivery: { url, key }, errorOf }: PlatformProps) {
  const w = words.value;
  return (
    <>
      <TextField
        label={w.key}
        type="secret"
        value={key.value}
        onValue={(text) => (key.value = text)}
        description={w.keyHelp}
        error={errorOf('stream_key')}
        autocomplete="off"
      />
      <TextField
        label={w.server}
        value={url.value}
        onValue={(text) => (url.value = text)}
        description={w.serverHelp}
        error={errorOf('url')}
        inputMode="url"
        autocomplete="off"
      />
    </>
  );
}
