/** The outcome of the wizard: the plan of a dry run, or what was made, with what a platform may refuse. */
import type { DataOf } from '../api/operation-types.ts';
import { KeyButtons } from '../resource/ingest-key.tsx';
import { hrefOf } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { closeFirstBroadcast, isPlan, isPushed } from './set-up.ts';
import { words } from './words.ts';

type SetUp = DataOf<'setUpBroadcast'>;

export function Outcome({ data }: { data: SetUp }) {
  const w = words.value;
  return (
    <div class="wizard-done" role="status">
      <p>
        <strong class={data.on_air ? 'ok' : ''}>{data.message}</strong>
      </p>
      <EncoderKey data={data} />
      <Look source={data.source} />
      <Warnings texts={data.warnings.map(({ message }) => message)} />
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

/** The look at the source that belongs to a plan. */
function Look({ source }: Pick<SetUp, 'source'>) {
  const w = words.value;
  if (source == null) return null;
  const { message, probe } = source;
  return (
    <>
      <p>
        {w.sourceNow}: <span class={probe === null ? 'warn' : ''}>{message}</span>
      </p>
      <Warnings texts={(probe?.warnings ?? []).map(({ message: text, remedy }) => `${text} ${remedy}`)} />
    </>
  );
}

function Warnings({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <ul class="wizard-warnings" aria-label={words.value.warnings}>
      {texts.map((text) => (
        <li key={text} class="warn">
          {text}
        </li>
      ))}
    </ul>
  );
}

/** Somebody who pushes has to type an address and a key into the encoder. */
function EncoderKey({ data: { made, name } }: { data: SetUp }) {
  if (made.channelId === null || !isPushed.value) return null;
  return (
    <>
      <p>{words.value.encoderNext}</p>
      <KeyButtons row={{ id: made.channelId, name }} isShownAtOnce />
    </>
  );
}
