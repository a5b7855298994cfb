/** The acts that help against a trouble. */
import { can } from '../../../api/can.ts';
import type { AttentionRow } from '../../../live/attention-rows.ts';
import { viewOf } from '../../../live/streams.ts';
import { hrefOf } from '../../../route.ts';
import { Button } from '../../../ui/button.tsx';
import { acknowledgeStream, startAgain } from '../acts/broadcast.ts';
import { openDialog } from '../acts/focus.ts';
import { busyWords } from '../acts/orders.ts';
import { setPath } from '../acts/runtime.ts';
import { words } from '../words.ts';

const KEYED = ['RTMP', 'Enhanced RTMP'];

/** The acts that help against this trouble, the likeliest first. */
export function Help({ row: { id, name, trouble, isAcknowledged } }: { row: AttentionRow }) {
  const w = words.value.attention;
  const { publishings = [], source } = viewOf(id)?.status.value ?? {};
  const publishing = publishings.find((each) => each.publishingId === trouble.publishingId);
  const { reason, publishingId } = trouble;
  const acts: { text: string; isThere: boolean; press: () => void; busy?: string | undefined }[] = [
    {
      text: w.newKey,
      isThere:
        publishingId !== undefined && KEYED.includes(publishing?.type ?? '') && can('update_destination_stream_key'),
      press: () => openDialog({ kind: 'key', id, publishingId: publishingId! }),
    },
    {
      text: w.switchOff,
      isThere: (reason === 'path_retrying' || reason === 'path_failed') && can('runtimeTogglePublishings'),
      press: () => setPath(id, publishingId!, publishing?.primary.state === 'up' ? 'backup' : 'primary', false),
    },
    {
      text: w.switchSource,
      isThere:
        ['source_lost', 'source_awaited', 'low_fps', 'black', 'frozen', 'silent'].includes(reason) &&
        can('runtimeApplySourceSwitch'),
      press: () => openDialog({ kind: 'source', id }),
    },
    {
      text: w.addressAndKey,
      isThere: reason === 'source_awaited' && source?.ingest != null,
      press: () => (location.hash = hrefOf('sources', source!.channelId)),
    },
    {
      text: w.startAgain,
      isThere: reason === 'failed' && can('start_livestream'),
      press: () => startAgain(id),
      busy: busyWords(id, 'start', words.value.acts.unconfirmed),
    },
    { text: w.events, isThere: true, press: () => openDialog({ kind: 'solo', id, tab: 'events' }) },
    { text: w.acknowledge, isThere: !isAcknowledged, press: () => acknowledgeStream(id) },
  ];
  return (
    <span class="acts trouble-acts">
      {acts
        .filter(({ isThere }) => isThere)
        .map(({ text, press, busy }) => (
          <Button key={text} kind="quiet" label={w.actOn(text, name)} busy={busy} onPress={press}>
            {text}
          </Button>
        ))}
    </span>
  );
}
