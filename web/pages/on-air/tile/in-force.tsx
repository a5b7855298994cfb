/** Names all that is over the picture, or in its place, as the encoder has it. */
import { words as common } from '../../../i18n/words.ts';
import { FLAGS } from '../../../live/status.ts';
import { isStale, type StreamView } from '../../../live/streams.ts';

export function InForce({ view }: { view: StreamView }) {
  const { runtime, status } = view.status.value;
  const w = common.value;
  const isSlate = (view.flags.value & FLAGS.slate) !== 0;
  if (status !== 2 || isStale.value) return null;
  return (
    <p class="in-force">
      {runtime.blackout !== 'Live' && <strong class="in-force-black">{w.blackout}</strong>}
      {isSlate && <strong class="in-force-slate">{w.slate}</strong>}
      {runtime.logo !== null && <span title={runtime.logo.filename}>{w.logo(runtime.logo.filename)}</span>}
      {runtime.text !== null && <span title={runtime.text}>{w.text(runtime.text)}</span>}
    </p>
  );
}
