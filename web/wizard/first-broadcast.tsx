/** The wizard "Put a first broadcast on air": a video or an address, a name, one button. It takes a dropped file anywhere in its region. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { can } from '../api/can.ts';
import { hrefOf } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextField } from '../ui/field.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { cancelSending, closeFirstBroadcast, isBusy, problem, progress, result, setUp } from './set-up.ts';
import { Steps } from './steps-list.tsx';
import { words } from './words.ts';

export { isFirstBroadcastOpen } from './set-up.ts';

export function FirstBroadcast() {
  const file = useSignal<File | undefined>(undefined);
  const address = useSignal('');
  const name = useSignal('');
  const isOver = useSignal(false);
  const isMissing = useSignal<string | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const w = words.value;
  // Another visit of the page starts anew; what is under way is shown wherever the wizard is.
  useEffect(() => () => (isBusy.peek() ? undefined : closeFirstBroadcast()), []);
  if (!can('setUpBroadcast')) return null;

  const choose = (chosen: File | undefined): void => {
    file.value = chosen;
    isMissing.value = undefined;
    if (chosen === undefined && input.current !== null) input.current.value = '';
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    const dropped = event.dataTransfer?.files;
    if (dropped?.[0] === undefined || isBusy.peek()) return;
    if (input.current !== null) input.current.files = dropped;
    choose(dropped[0]);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const wanted = { file: file.value, address: address.value.trim(), name: name.value.trim() };
    const isTwo = wanted.file !== undefined && wanted.address !== '';
    isMissing.value = isTwo ? w.both : wanted.file === undefined && wanted.address === '' ? w.nothing : undefined;
    if (isMissing.value === undefined) void setUp(wanted);
  };
  const fieldError = (field: string): string | undefined =>
    problem.value?.fields.errors?.find((each) => each.field === field)?.message;
  const sent = progress.value;
  const busy = sent !== undefined && sent < 1 ? w.sending(Math.round(sent * 100)) : w.working;
  return (
    <section
      class={`wizard${isOver.value ? ' wizard-over' : ''}`}
      aria-label={w.title}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) isOver.value = false;
      }}
      onDrop={drop}
    >
      <h2>{w.title}</h2>
      <p class="soft">{isOver.value ? w.drop : w.intro}</p>
      <form class="wizard-form" onSubmit={submit} noValidate>
        <Field label={w.file} error={fieldError('file') ?? fieldError('filename')}>
          {(control) => (
            <input
              {...control}
              ref={input}
              type="file"
              accept="video/*,.ts,.mkv,.mxf"
              disabled={isBusy.value}
              onChange={({ currentTarget: { files } }) => choose(files?.[0])}
            />
          )}
        </Field>
        <TextField
          label={w.address}
          value={address.value}
          onValue={(text) => (address.value = text)}
          description={w.addressHelp}
          error={fieldError('address')}
          inputMode="url"
          autocomplete="off"
        />
        <TextField
          label={w.name}
          value={name.value}
          onValue={(text) => (name.value = text)}
          description={w.nameHelp}
          error={fieldError('name')}
          autocomplete="off"
          isOptional
        />
        <div class="acts">
          <Button kind="main" icon="radio" submits busy={isBusy.value && busy}>
            {w.button}
          </Button>
          {isBusy.value && sent !== undefined && sent < 1 && <Button onPress={cancelSending}>{w.cancel}</Button>}
        </div>
        {isMissing.value !== undefined && <p role="alert">{isMissing.value}</p>}
      </form>
      <ProblemAlert problem={problem.value} shownFields={['file', 'filename', 'address', 'name']} />
      <Steps />
      {result.value !== undefined && <Done />}
    </section>
  );
}

function Done() {
  const w = words.value;
  const data = result.value;
  if (data === undefined) return null;
  return (
    <div class="wizard-done" role="status">
      <p>
        <strong class={data.on_air ? 'ok' : 'soft'}>{data.message}</strong>
      </p>
      <div class="acts">
        <a href={hrefOf('on-air')}>{w.toOnAir}</a>
        {data.watch_page !== null && (
          <a href={data.watch_page.replace(/^\//u, '')} target="_blank" rel="noreferrer">
            {w.watch}
          </a>
        )}
        <Button kind="quiet" onPress={closeFirstBroadcast}>
          {w.close}
        </Button>
      </div>
    </div>
  );
}
