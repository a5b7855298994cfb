/** The stream key of a pushed Source, which the lists mask: shown when it is asked for, and made anew. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../api/can.ts';
import type { DataOf } from '../api/operation-types.ts';
import { save } from '../api/saves.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { Facts } from '../ui/show/facts.tsx';
import { words } from './channel/words.ts';

type WholeKey = DataOf<'revealIngestKey'>;

interface KeyProps {
  row: { id: number; name: string };
  /** Its encoder waits for address and key, because it was made a moment ago. */
  isShownAtOnce?: boolean;
}

export function KeyButtons({ row, isShownAtOnce = false }: KeyProps) {
  const shown = useSignal<WholeKey | undefined>(undefined);
  const isAsking = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<Error | undefined>(undefined);
  const w = words.value;
  const fetchKey = async (operation: 'revealIngestKey' | 'rotateIngestKey'): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    const outcome = await save({ operation, params: { channelId: row.id } });
    isBusy.value = false;
    if (outcome.kind === 'refused') problem.value = outcome.error;
    if (outcome.kind !== 'saved') return;
    isAsking.value = false;
    shown.value = outcome.data;
  };
  const isFirst = isShownAtOnce && can('revealIngestKey');
  useEffect(() => {
    if (isFirst) void fetchKey('revealIngestKey');
  }, [row.id]);
  return (
    <>
      {isFirst && shown.value !== undefined && <WholeKeyText whole={shown.value} />}
      {!isAsking.value && <ProblemAlert problem={problem.value} />}
      <div class="acts">
        {!isFirst && can('revealIngestKey') && (
          <Button busy={isBusy.value && w.looking} onPress={() => void fetchKey('revealIngestKey')}>
            {w.showKey}
          </Button>
        )}
        {can('rotateIngestKey') && <Button onPress={() => (isAsking.value = true)}>{w.newKey}</Button>}
      </div>
      {isAsking.value && (
        <ConfirmDialog
          title={w.newKeyOf(row.name)}
          effect={w.newKeyEffect}
          button={w.newKey}
          busy={isBusy.value ? w.looking : undefined}
          onCancel={() => (isAsking.value = false)}
          onConfirm={() => void fetchKey('rotateIngestKey')}
          problem={<ProblemAlert problem={problem.value} />}
        />
      )}
      {!isFirst && shown.value !== undefined && (
        <KeyDialog name={row.name} whole={shown.value} onClose={() => (shown.value = undefined)} />
      )}
    </>
  );
}

function KeyDialog({ name, whole, onClose }: { name: string; whole: WholeKey; onClose: () => void }) {
  const w = words.value;
  return (
    <Dialog title={w.keyOf(name)} description={w.keyCare} onClose={onClose} size="wide">
      <WholeKeyText whole={whole} />
    </Dialog>
  );
}

/** OBS asks for server and key apart, others for one address. */
function WholeKeyText({ whole: { url, backup_urls, stream_key } }: { whole: WholeKey }) {
  const w = words.value;
  const server = serverOf(url, stream_key);
  return (
    <Facts
      of={[
        [w.server, server !== undefined && <Copied key="server" text={server} label={w.copyServer} />],
        [w.streamKey, stream_key !== null && <Copied key="key" text={stream_key} label={w.copyKey} />],
        [
          w.address,
          [url, ...backup_urls].map((each) => (
            <div key={each}>
              <Copied text={each} label={w.copyAddress} />
            </div>
          )),
        ],
      ]}
    />
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span>
      <code class="address">{text}</code> <CopyButton text={text} label={label} />
    </span>
  );
}

function serverOf(url: string, key: string | null): string | undefined {
  return key !== null && /^rtmps?:/u.test(url) && url.endsWith(`/${key}`) ? url.slice(0, -key.length - 1) : undefined;
}
