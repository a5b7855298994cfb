/** The acts that help against a trouble, as buttons. */
import { can } from '../../../api/can.ts';
import type { AttentionRow } from '../../../live/attention-rows.ts';
import { viewOf } from '../../../live/streams.ts';
import { hrefOf } from '../../../route.ts';
import { Button } from '../../../ui/button.tsx';
import { acknowledgeStream } from '../acts/acknowledge.ts';
import { startAgain } from '../acts/broadcast.ts';
import { openDialog } from '../acts/focus.ts';
import { busyWords } from '../acts/orders.ts';
import { setPath } from '../acts/runtime.ts';
import { words } from '../words.ts';
import { helpsAgainst, type HelpName } from './helps.ts';

export function Help({ row: { id, name, trouble, isAcknowledged } }: { row: AttentionRow }) {
  const w = words.value.attention;
  const { publishingId = 0 } = trouble;
  const { publishings = [], source } = viewOf(id)?.status.value ?? {};
  const publishing = publishings.find((each) => each.publishingId === publishingId);
  const helps: Record<HelpName, { isAllowed: boolean; press: () => void; busy?: string | undefined }> = {
    newKey: {
      isAllowed: can('update_destination_stream_key'),
      press: () => openDialog({ kind: 'key', id, publishingId }),
    },
    destination: {
      isAllowed: can('updatePublishing'),
      press: () => (location.hash = hrefOf('destinations', publishingId)),
    },
    switchOff: {
      isAllowed: can('runtimeTogglePublishings'),
      press: () => setPath(id, publishingId, publishing?.primary.state === 'up' ? 'backup' : 'primary', false),
    },
    switchSource: {
      isAllowed: can('runtimeApplySourceSwitch'),
      press: () => openDialog({ kind: 'source', id }),
    },
    addressAndKey: {
      isAllowed: source?.ingest != null,
      press: () => (location.hash = hrefOf('sources', source!.channelId)),
    },
    startAgain: {
      isAllowed: can('start_livestream'),
      press: () => startAgain(id),
      busy: busyWords(id, 'start', words.value.acts.unconfirmed),
    },
  };
  const acts: { text: string; press: () => void; busy?: string | undefined }[] = [
    ...helpsAgainst(trouble, publishing)
      .filter((help) => helps[help].isAllowed)
      .map((help) => ({ text: w[help], ...helps[help] })),
    { text: w.events, press: () => openDialog({ kind: 'solo', id, tab: 'events' }) },
    ...(isAcknowledged
      ? []
      : [
          {
            text: w.acknowledge,
            press: () => acknowledgeStream(id),
            busy: busyWords(id, 'acknowledge', words.value.acts.unconfirmed),
          },
        ]),
  ];
  return (
    <span class="acts trouble-acts">
      {acts.map(({ text, press, busy }) => (
        <Button key={text} kind="quiet" label={w.actOn(text, name)} busy={busy} onPress={press}>
          {text}
        </Button>
      ))}
      {!isAcknowledged && can('acknowledgeEvent') && (
        <Button
          kind="quiet"
          icon="pencil"
          label={w.actOn(words.value.acts.acknowledgeWith, name)}
          onPress={() => openDialog({ kind: 'note', id })}
        >
          <span class="hidden">{words.value.acts.acknowledgeWith}</span>
        </Button>
      )}
    </span>
  );
}
