/** A signed link for somebody without an account: how long it is valid, the link, its end. */
import { useSignal } from '@preact/signals';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { askLink, type MediaLink } from '../player/media-link.ts';
import { words } from '../words.ts';

interface LinkDialogProps {
  recording: { id: number; name: string; files: number };
  onClose: () => void;
}

const HOURS = [1, 4, 24];

export function LinkDialog({ recording, onClose }: LinkDialogProps) {
  const w = words.value;
  const { id, name, files } = recording;
  const hours = useSignal(1);
  const part = useSignal(1);
  const link = useSignal<MediaLink | undefined>(undefined);
  const problem = useSignal<Error | undefined>(undefined);
  const create = (): void => {
    problem.value = undefined;
    askLink(id, part.value, hours.value * 3600).then(
      (answer) => (link.value = answer),
      (error: unknown) => (problem.value = error as Error),
    );
  };
  const choose = (change: () => void) => (): void => {
    change();
    link.value = undefined;
  };
  return (
    <Dialog title={w.linkTitle(name)} description={w.linkHelp} onClose={onClose}>
      <ProblemAlert problem={problem.value} />
      <Field label={w.linkFor}>
        {(control) => (
          <select
            {...control}
            value={hours.value}
            onChange={({ currentTarget }) => choose(() => (hours.value = Number(currentTarget.value)))()}
          >
            {HOURS.map((each) => (
              <option key={each} value={each}>
                {w.linkHours(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {files > 1 && (
        <Field label={w.partsLabel}>
          {(control) => (
            <select
              {...control}
              value={part.value}
              onChange={({ currentTarget }) => choose(() => (part.value = Number(currentTarget.value)))()}
            >
              {Array.from({ length: files }, (_, place) => (
                <option key={place} value={place + 1}>
                  {w.part(place + 1, files)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {link.value !== undefined && (
        <>
          <p class="link-text">
            <code>{link.value.url}</code>
          </p>
          <p>
            {w.linkEnds} <Time at={link.value.expires_at} />
          </p>
        </>
      )}
      <footer class="dialog-foot">
        {link.value === undefined ? (
          <Button kind="main" icon="link" onPress={create}>
            {w.createLink}
          </Button>
        ) : (
          <CopyButton text={link.value.url} label={w.copyLink} />
        )}
      </footer>
    </Dialog>
  );
}
