/** The acts on one stream as buttons, with the orders under way and their refusals. Left and right walk them. */
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { isStale, heardAt, viewOf } from '../../../live/streams.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { clockText } from '../../../zone.ts';
import { words } from '../words.ts';
import { actsOn } from './act-list.ts';
import type { Act } from './act.ts';
import { armed } from './focus.ts';
import { busyWords, dismiss, ordersOf } from './orders.ts';

interface ToolbarProps {
  id: number;
  /** Solo has a view of these already. */
  without?: readonly string[];
}

const walks: Record<string, (place: number, count: number) => number> = {
  ArrowRight: (place, count) => (place + 1) % count,
  ArrowLeft: (place, count) => (place - 1 + count) % count,
  Home: () => 0,
  End: (_place, count) => count - 1,
};

export function Toolbar({ id, without = [] }: ToolbarProps) {
  const ref = useRef<HTMLDivElement>(null);
  const view = viewOf(id);
  if (view === undefined) return null;
  const status = view.status.value;
  const acts = actsOn(status).filter(
    (act) => act.isKeyOnly !== true && !without.some((name) => act.id === `${id} ${name}`),
  );
  const walk = (event: KeyboardEvent): void => {
    const buttons = [...(ref.current?.querySelectorAll<HTMLElement>('button') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const to = walks[event.key]?.(at, buttons.length);
    if (at === -1 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[to]?.focus();
  };
  return (
    <div class="acts-bar">
      <Refusals id={id} name={status.name} />
      {armed.value?.id === id && isStale.value && (
        <p class="soft">{words.value.acts.staleNote(clockText(heardAt.value, shownZone.value))}</p>
      )}
      <div
        ref={ref}
        class="acts-buttons"
        role="toolbar"
        aria-label={words.value.acts.toolbar(status.name)}
        onKeyDown={walk}
      >
        <strong class="acts-name" aria-hidden="true">
          {status.name}
        </strong>
        {acts.map((act) => (
          <ActButton key={act.id} act={act} id={id} />
        ))}
      </div>
    </div>
  );
}

function ActButton({ act, id }: { act: Act; id: number }) {
  const w = words.value.acts;
  const isArmed = armed.value?.id === id && `${id} ${armed.value.act}` === act.id;
  const busy = act.control === undefined ? undefined : busyWords(id, act.control, w.unconfirmed);
  return (
    <Button
      label={act.label}
      icon={act.icon}
      keyHint={act.key}
      pressed={act.pressed}
      kind={act.isDanger === true ? 'danger' : isArmed ? 'main' : 'quiet'}
      busy={busy}
      disabledWhy={act.why}
      onPress={act.press}
    >
      {isArmed ? w.again(act.text) : act.text}
    </Button>
  );
}

/** Shows the acts that did not work, until somebody has read it. */
function Refusals({ id, name }: { id: number; name: string }) {
  const w = words.value.acts;
  const failed = ordersOf(id).filter(({ order }) => order.state.value.kind === 'failed');
  return (
    <>
      {failed.map((one) => (
        <Refusal key={one.control} text={w.failedAct(one.words.replace(' …', ''), name)} one={one} />
      ))}
    </>
  );
}

function Refusal({ text, one }: { text: string; one: ReturnType<typeof ordersOf>[number] }) {
  const id = useId();
  const isGone = useSignal(false);
  const state = one.order.state.value;
  if (state.kind !== 'failed' || isGone.value) return null;
  const close = (): void => {
    isGone.value = true;
    dismiss(one);
  };
  return (
    <div class="refusal" aria-labelledby={id}>
      <p id={id}>{text}</p>
      <ProblemAlert problem={state.error} onRetry={() => one.order.retry()} />
      <Button onPress={close}>{words.value.acts.dismiss}</Button>
    </div>
  );
}
