/** The outcome of the wizard: the plan of a dry run, or what was made, with what a platform may refuse. */
import { useEffect, useRef } from 'preact/hooks';
import type { DataOf } from '../api/operation-types.ts';
import { viewOf } from '../live/streams.ts';
import { hrefOf } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { EncoderWait } from './encoder-wait.tsx';
import { closeFirstBroadcast, isPlan, pushedBy } from './set-up.ts';
import { words } from './words.ts';
import { warningText } from '../i18n/warning-text.ts';
import { ServerText } from '../ui/show/server-text.tsx';

type SetUp = DataOf<'setUpBroadcast'>;

export function Outcome({ data }: { data: SetUp }) {
  const w = words.value;
  const { channelId } = data.made;
  const isPushed = channelId !== null && pushedBy.value !== '';
  const { text, isGood } = headline(data);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [data]);
  return (
    <div ref={box} class="wizard-done">
      {isPushed && <EncoderWait channelId={channelId} name={data.name} by={pushedBy.value} />}
      <p role="status">
        <strong class={isGood ? 'ok' : ''}>{text}</strong>
      </p>
      <Look source={data.source} />
      <Warnings of={data.warnings} />
      <div class="acts">
        {!isPlan.value && <a href={hrefOf('on-air')}>{w.toOnAir}</a>}
        {data.watch_page !== null && (
          <a href={data.watch_page.replace(/^https?:\/\/[^/]+\//u, '')} target="_blank" rel="noreferrer">
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

/** The feed knows what has become of it since the answer. */
function headline({ id, name, on_air, status, steps }: SetUp): { text: string; isGood: boolean } {
  const w = words.value.outcomes;
  if (isPlan.value) {
    const cannotStart = steps.some(({ state }) => state === 'failed');
    return { text: cannotStart ? w.planCannotStart(name) : w.plan(name), isGood: false };
  }
  const present = id === null ? undefined : viewOf(id)?.status.value;
  const isOn = on_air || present?.status === 2;
  // On air with the slate: whoever waits for the encoder has nothing to see yet.
  if (isOn && present?.source?.state !== 'up' && pushedBy.value !== '')
    return { text: w.onAirWaits(name), isGood: false };
  if (isOn) return { text: w.onAir(name), isGood: true };
  return { text: (present?.status ?? status) === 1 ? w.starting(name) : w.setUp(name), isGood: false };
}

/** The look at the source that belongs to a plan. */
function Look({ source }: Pick<SetUp, 'source'>) {
  const w = words.value;
  if (source == null) return null;
  const { message, probe } = source;
  return (
    <>
      <p>
        {w.sourceNow}:{' '}
        <span class={probe === null ? 'warn' : ''}>
          <ServerText text={message} own={probe === null ? w.notSeen : w.seen} />
        </span>
      </p>
      <Warnings of={probe?.warnings ?? []} />
    </>
  );
}

interface Warning {
  code: string;
  message: string;
  remedy?: string;
}

function Warnings({ of }: { of: readonly Warning[] }) {
  if (of.length === 0) return null;
  return (
    <ul class="wizard-warnings" aria-label={words.value.warnings}>
      {of.map(({ code, message, remedy = '' }) => (
        <li key={`${code} ${message}`} class="warn">
          <ServerText text={`${message} ${remedy}`.trim()} own={warningText(code)} />
        </li>
      ))}
    </ul>
  );
}
