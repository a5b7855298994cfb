/** The wizard "Put a first broadcast on air": a video or an address, a name, one button. It takes a dropped file anywhere in its region. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../api/can.ts';
import { useList } from '../api/reads.ts';
import { fieldError } from '../i18n/problem-text.ts';
import { Field, TextField } from '../ui/field.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { isWizardAsked } from './asked.ts';
import { DeliverTo } from './deliver-to.tsx';
import { useFields, type Fields } from './fields.ts';
import { ChoiceField, OptionsFields } from './options-fields.tsx';
import { LaterOutcome } from './later-outcome.tsx';
import { fieldOf } from './options.ts';
import { plainProblem } from './plain-problem.ts';
import { isBusy, problem, closeFirstBroadcast } from './set-up.ts';
import { Steps } from './steps-list.tsx';
import { WizardActs } from './wizard-acts.tsx';
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
  const isAsked = isWizardAsked.value;
  useEffect(() => {
    if (isAsked) fields.input.current?.focus();
  }, [isAsked]);
  const title = isAsked ? w.another : w.title;
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
      <ProblemAlert problem={plainProblem(problem.value)} shownFields={shownFields(fields)} />
      <LaterOutcome />
      <Steps />
    </section>
  );
}

function shownFields({ options }: Fields): string[] {
  const { length } = options.deliveries.value;
  const places = Array.from({ length }, (_, place) => place);
  const delivered = places.flatMap((place) => [fieldOf('url', place, length), fieldOf('stream_key', place, length)]);
  return ['file', 'filename', 'ingest', 'address', 'name', 'start_at', 'end_at', ...delivered];
}

function WizardForm({ fields }: { fields: Fields }) {
  const { address, ingest, name, options, missing, input } = fields;
  const { rows } = useList('listPresets', { pageSize: 100 });
  const of = (kind: string) => rows.filter((row) => row.kind === kind && row.id !== 'hls');
  const w = words.value;
  const errorOf = (field: string): string | undefined => fieldError(problem.value, field);
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
      <DeliverTo deliveries={options.deliveries} templates={of('template')} errorOf={errorOf} />
      <OptionsFields options={options} ladders={of('ladder')} errorOf={errorOf} />
      <WizardActs fields={fields} />
      {missing.value !== undefined && <p role="alert">{missing.value}</p>}
    </form>
  );
}
