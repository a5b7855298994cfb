/** The wizard "Put a first broadcast on air": a video or an address, a name, one button. It takes a dropped file anywhere in its region. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../api/can.ts';
import { fieldError } from '../i18n/problem-text.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextField } from '../ui/field.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { isWizardAsked } from './asked.ts';
import { useFields, type Fields } from './fields.ts';
import { ChoiceField, OptionsFields } from './options-fields.tsx';
import { cancelSending, isBusy, problem, progress, closeFirstBroadcast, result } from './set-up.ts';
import { Outcome } from './outcome.tsx';
import { Steps } from './steps-list.tsx';
import { words } from './words.ts';

export function FirstBroadcast() {
  const fields = useFields();
  const isOver = useSignal(false);
  const w = words.value;
  // Another visit of the page starts anew; what is under way is shown wherever the wizard is.
  useEffect(
    () => () => {
      isWizardAsked.value = false;
      if (!isBusy.peek()) closeFirstBroadcast();
    },
    [],
  );
  const title = isWizardAsked.value ? w.another : w.title;
  if (!can('setUpBroadcast')) return null;
  return (
    <section
      class={`wizard${isOver.value ? ' wizard-over' : ''}`}
      aria-label={title}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        fields.drop(event.dataTransfer?.files);
      }}
    >
      <h2>{title}</h2>
      <p class="soft">{isOver.value ? w.drop : w.intro}</p>
      <WizardForm fields={fields} />
      <ProblemAlert
        problem={problem.value}
        shownFields={['file', 'filename', 'ingest', 'address', 'name', 'url', 'stream_key', 'start_at', 'end_at']}
      />
      {result.value !== undefined && <Outcome data={result.value} />}
      <Steps />
    </section>
  );
}

function WizardForm({ fields }: { fields: Fields }) {
  const { address, ingest, name, options, missing, input } = fields;
  const w = words.value;
  const errorOf = (field: string): string | undefined => fieldError(problem.value, field);
  const sent = progress.value;
  const isSending = isBusy.value && sent !== undefined && sent < 1;
  const submit = (event: Event): void => {
    event.preventDefault();
    fields.submit(false);
  };
  return (
    <form class="wizard-form" onSubmit={submit} noValidate>
      <Field label={w.file} error={errorOf('file') ?? errorOf('filename')}>
        {(control) => (
          <input
            {...control}
            ref={input}
            type="file"
            accept="video/*,.ts,.mkv,.mxf"
            disabled={isBusy.value}
            onChange={({ currentTarget }) => fields.choose(currentTarget.files)}
          />
        )}
      </Field>
      <TextField
        label={w.address}
        value={address.value}
        onValue={(text) => (address.value = text)}
        description={w.addressHelp}
        error={errorOf('address')}
        inputMode="url"
        autocomplete="off"
      />
      <ChoiceField
        label={w.encoder}
        value={ingest}
        usual={w.noEncoder}
        rows={Object.entries(w.encoders).map(([id, words]) => ({ id, name: words }))}
        description={w.encoderHelp}
      />
      <TextField
        label={w.name}
        value={name.value}
        onValue={(text) => (name.value = text)}
        description={w.nameHelp}
        error={errorOf('name')}
        autocomplete="off"
        isOptional
      />
      <OptionsFields options={options} errorOf={errorOf} />
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
      </div>
      {missing.value !== undefined && <p role="alert">{missing.value}</p>}
    </form>
  );
}
