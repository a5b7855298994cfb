/** The facts of the server as it tells them: its greeting in the feed, and whether it is ready. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askDisk, askReadiness, type Disk, type Readiness } from '../../api/readiness.ts';
import { session } from '../../api/session.ts';
import { feed } from '../../live/streams.ts';
import { Button } from '../../ui/button.tsx';
import { sizeText } from '../../ui/show/size-text.ts';
import { Table } from '../../ui/table.tsx';
import { words } from './words.ts';

/** It is asked while the page is open, because a store that fails later says so there alone. */
const EVERY_MS = 15_000;

export function ServerFacts() {
  const readiness = useSignal<Readiness | undefined>(undefined);
  const disk = useSignal<Disk | undefined>(undefined);
  const attempt = useSignal(0);
  const w = words.value;
  useEffect(() => {
    let isGone = false;
    const ask = (): void =>
      void Promise.all([askReadiness(), askDisk()]).then(([ready, found]) => {
        if (isGone) return;
        readiness.value = ready;
        disk.value = found;
      });
    ask();
    const timer = setInterval(ask, EVERY_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [attempt.value]);
  const { hello } = feed.value;
  const profile = session.value?.toolProfile === 'readonly' ? 'readonly' : 'full';
  const rows = [
    { id: 'version', name: w.version, value: hello?.version ?? w.notKnown },
    { id: 'readiness', name: w.readiness, value: <Ready of={readiness.value} /> },
    { id: 'disk', name: w.disk, value: <DiskUse of={disk.value} /> },
    {
      id: 'backup',
      name: w.backup,
      value: (
        <span>
          {w.backupText} <code>onair backup monday.backup</code>
        </span>
      ),
    },
    { id: 'zone', name: w.zone, value: hello?.timezone ?? w.notKnown },
    { id: 'profile', name: w.profile, value: w.profiles[profile] },
    { id: 'address', name: w.address, value: <code>{new URL('.', document.baseURI).href}</code> },
    { id: 'mcp', name: w.mcp, value: <code>{new URL('mcp', document.baseURI).href}</code> },
  ];
  return (
    <>
      <Table
        label={w.title}
        rows={rows}
        idOf={({ id }) => id}
        columns={[
          { id: 'name', label: w.fact, cell: ({ name }) => name },
          { id: 'value', label: w.value, cell: ({ value }) => value },
        ]}
      />
      <p class="table-more">
        <Button kind="quiet" icon="refresh-cw" onPress={() => (attempt.value += 1)}>
          {w.check}
        </Button>
      </p>
    </>
  );
}

function DiskUse({ of }: { of: Disk | undefined }) {
  const w = words.value;
  if (of === undefined) return <span class="soft">{w.notKnown}</span>;
  return <span>{w.diskFree(sizeText(of.free), sizeText(of.size))}</span>;
}

function Ready({ of }: { of: Readiness | undefined }) {
  const w = words.value;
  return (
    <span role="status" aria-label={w.readiness}>
      {of === undefined && <span class="soft">{w.notKnown}</span>}
      {of?.status === 'ready' && <span class="ok">● {w.ready}</span>}
      {of?.status === 'not_ready' && (
        <span class="fault">
          ✕ {w.notReady}: {of.store.problem}
        </span>
      )}
    </span>
  );
}
