/** The obstacles of a start, each with the act that removes it. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import { call } from '../../../api/call.ts';
import { ProblemError } from '../../../api/problems.ts';
import { changeCount } from '../../../api/query.ts';
import { upload, type Uploading } from '../../../api/uploads.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { reasonText } from '../../../i18n/problem-text.ts';
import { hrefOf } from '../../../route.ts';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { ServerText } from '../../../ui/show/server-text.tsx';
import type { StreamRow } from '../list/parts.ts';
import { words } from '../words.ts';
import type { Reason } from './choices.ts';

interface InTheWayProps {
  row: StreamRow;
  reasons: readonly Reason[];
  /** The file that the source wants to play. */
  filename: string | undefined;
  onEdit: () => void;
}

export function InTheWay({ row, reasons, filename, onEdit }: InTheWayProps) {
  const problem = useSignal<ProblemError | undefined>(undefined);
  if (reasons.length === 0) return null;
  const w = words.value;
  return (
    <section class="in-the-way">
      <h3>{w.inTheWay}</h3>
      <ProblemAlert problem={problem.value} />
      <ul aria-label={w.inTheWay}>
        {reasons.map((reason) => (
          <li key={`${reason.code} ${reason.message}`}>
            <span class="fault" aria-hidden="true">
              ✕
            </span>
            <span>
              <ServerText text={reason.message} own={reasonText(reason.code)} />
            </span>
            <Remedy
              row={row}
              reason={reason}
              filename={filename}
              onEdit={onEdit}
              onProblem={(error) => (problem.value = error)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RemedyProps extends Omit<InTheWayProps, 'reasons'> {
  reason: Reason;
  onProblem: (problem: ProblemError | undefined) => void;
}

function Remedy({ row, reason, filename, onEdit, onProblem }: RemedyProps) {
  const w = words.value.acts;
  switch (reason.code) {
    case 'disabled':
      return can('updateLivestream') ? <Enable row={row} onProblem={onProblem} /> : null;
    case 'asset_missing':
      return filename !== undefined && can('uploadAsset') ? <Upload filename={filename} onProblem={onProblem} /> : null;
    case 'unbound':
    case 'wrong_device':
    case 'channel_missing':
    case 'destination_in_use':
    case 'unsupported':
      return can('updateLivestream') ? <Button onPress={onEdit}>{w.edit(row.name)}</Button> : null;
    case 'already_running':
      return <a href={hrefOf('on-air')}>{w.onAir}</a>;
    case 'no_capacity':
    case 'no_device':
      return <a href={hrefOf('devices')}>{w.devices}</a>;
    case 'licence':
      return can('getSystemLicenses') ? <a href={hrefOf('system')}>{w.system}</a> : null;
  }
}

const asProblem = (error: unknown): ProblemError => (error instanceof ProblemError ? error : new ProblemError(0, {}));

function Enable({ row, onProblem }: { row: StreamRow; onProblem: RemedyProps['onProblem'] }) {
  const isBusy = useSignal(false);
  const w = words.value.acts;
  const enable = async (): Promise<void> => {
    isBusy.value = true;
    try {
      const params = { livestreamId: row.id };
      const { etag } = await call('getLivestreamById', { params });
      await call('updateLivestream', { params, body: { enabled: true }, etag });
      onProblem(undefined);
      // The feed's `changed` says the same, and may be late.
      changeCount.value += 1;
    } catch (error) {
      onProblem(asProblem(error));
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Button busy={isBusy.value && w.enabling} onPress={() => void enable()}>
      {w.enable(row.name)}
    </Button>
  );
}

function Upload({ filename, onProblem }: { filename: string; onProblem: RemedyProps['onProblem'] }) {
  const input = useRef<HTMLInputElement>(null);
  const sending = useSignal<Uploading<DataOf<'uploadAsset'>> | undefined>(undefined);
  const w = words.value.acts;
  const send = async (file: File): Promise<void> => {
    // The source knows the file by this name, whatever it is called here.
    const fields = { fileType: 'files', filename };
    sending.value = upload({ operation: 'uploadAsset', fields, file });
    try {
      await sending.value.done;
      onProblem(undefined);
      changeCount.value += 1;
    } catch (error) {
      onProblem(asProblem(error));
    } finally {
      sending.value = undefined;
    }
  };
  const now = sending.value;
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        onChange={({ currentTarget: { files } }) => files?.[0] !== undefined && void send(files[0])}
      />
      <Button
        icon="upload"
        busy={now !== undefined && w.uploading(Math.round(now.progress.value * 100))}
        onPress={() => input.current?.click()}
      >
        {w.upload(filename)}
      </Button>
    </>
  );
}
