/** The list of logos. */
import { useSignal } from '@preact/signals';
import { useList } from '../../../../api/reads.ts';
import type { LivestreamStatus } from '../../../../live/status.ts';
import { hrefOf } from '../../../../route.ts';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { ProblemAlert } from '../../../../ui/problem-alert.tsx';
import { RadioGroup } from '../../../../ui/radio-group.tsx';
import { words } from '../../words.ts';
import { memoryOf } from '../memory.ts';
import { showLogo } from '../runtime.ts';
import { StaleNote } from './stale-note.tsx';
import { PositionField } from './text-dialog.tsx';

export function LogoForm({ status, onDone }: { status: LivestreamStatus; onDone?: () => void }) {
  const { livestreamId: id, runtime, name } = status;
  const last = runtime.logo ?? memoryOf(id).logo;
  const chosen = useSignal(last?.filename ?? '');
  const position = useSignal(last?.position ?? 'Top-Right');
  const { rows, error, isLoading } = useList('listAssets', { params: { fileType: 'logos' }, sort: 'filename' });
  const w = words.value.dialogs;
  const options = [
    { value: '', label: w.noLogo },
    ...rows.map(({ filename, width, height }) => ({
      value: filename,
      label: filename,
      ...(width !== null && { details: `${width} × ${height}` }),
    })),
  ];
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    showLogo(id, chosen.value, position.value);
    onDone?.();
  };
  return (
    <form onSubmit={submit}>
      <StaleNote />
      <ProblemAlert problem={error} />
      <div class="dialog-scroll">
        <RadioGroup
          label={w.logo(name)}
          look="list"
          options={options}
          value={chosen.value}
          onValue={(value) => (chosen.value = value)}
        />
      </div>
      {!isLoading && rows.length === 0 && (
        <p>
          <a href={hrefOf('assets')}>{w.noLogos}</a>
        </p>
      )}
      <PositionField value={position.value} onValue={(value) => (position.value = value)} />
      <footer class="dialog-foot">
        <Button kind="main" submits>
          {w.show}
        </Button>
      </footer>
    </form>
  );
}

export function LogoDialog({ status, onClose }: { status: LivestreamStatus; onClose: () => void }) {
  return (
    <Dialog title={words.value.dialogs.logo(status.name)} onClose={onClose}>
      <LogoForm status={status} onDone={onClose} />
    </Dialog>
  );
}
