/** Stored credentials that are tried against the other side, and what came of it. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { call, dataIn } from '../api/call.ts';
import { can } from '../api/can.ts';
import { newKey } from '../api/client.ts';
import type { ParamsOf } from '../api/operation-types.ts';
import { resourceChanged } from '../api/query.ts';
import { resourceOf } from '../api/resources.ts';
import { OPERATIONS, type OperationId } from '../../client/request.ts';
import { formWords } from '../i18n/form-words.ts';
import { words } from '../i18n/words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { Time } from '../ui/show/time.tsx';
import { ServerText } from '../ui/show/server-text.tsx';

/** The members of a row that keep its last finding. */
interface Finding {
  validation_status: 'UNKNOWN' | 'VALID' | 'INVALID';
  validation_date: string | null;
  validation_error: string | null;
}

const MARKS = { VALID: '✓', INVALID: '✕', UNKNOWN: '–' } as const;
const LOOKS = { VALID: 'ok', INVALID: 'fault', UNKNOWN: 'soft' } as const;

/** The last finding in a cell of a table. */
export function FindingState({ of: { validation_status: status } }: { of: Finding }) {
  return (
    <span class={`finding ${LOOKS[status]}`}>
      <span aria-hidden="true">{MARKS[status]}</span> {formWords.value.findings[status]}
    </span>
  );
}

/** Stands before a quotation of the other side in the sentence of the server. */
const QUOTATION = /\s*(?:The other side|It) said: (?<quoted>[^]*)$/u;

/** The last finding with its reason; the other side's words are folded. */
export function FindingDetails({ of }: { of: Finding }) {
  const { validation_date: date, validation_error: reason } = of;
  const quoted = reason?.match(QUOTATION)?.groups?.['quoted'];
  return (
    <div class="finding-details">
      <p>
        <FindingState of={of} /> {date !== null && <Time at={date} />}
      </p>
      {reason !== null && (
        <p>
          <ServerText text={reason.replace(QUOTATION, '')} />
        </p>
      )}
      {quoted !== undefined && (
        <details>
          <summary>{words.value.ui.upstream}</summary>
          <pre>{quoted}</pre>
        </details>
      )}
    </div>
  );
}

interface ValidateProps<O extends OperationId> {
  name: string;
  operation: O;
  params: ParamsOf<O>;
}

/** "Validate «name»": a check takes as long as the other side does, so that a dialog shows it and may be closed meanwhile. */
export function ValidateButton<O extends OperationId>(props: ValidateProps<O>) {
  const isOpen = useSignal(false);
  const f = formWords.value;
  if (!can(props.operation)) return null;
  return (
    <>
      <Button kind="quiet" label={f.validateOf(props.name)} onPress={() => (isOpen.value = true)}>
        {f.validate}
      </Button>
      {isOpen.value && <ValidateDialog {...props} onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function ValidateDialog<O extends OperationId>({
  name,
  operation,
  params,
  onClose,
}: ValidateProps<O> & { onClose: () => void }) {
  const finding = useSignal<Finding | undefined>(undefined);
  const problem = useSignal<Error | undefined>(undefined);
  const attempt = useSignal(1);
  const idempotencyKey = useMemo(newKey, [attempt.value]);
  const f = formWords.value;
  useEffect(() => {
    finding.value = undefined;
    problem.value = undefined;
    call(operation, { params, idempotencyKey }).then(
      ({ body }) => {
        finding.value = dataIn(body) as Finding;
        resourceChanged(resourceOf(OPERATIONS[operation].path));
      },
      (error: Error) => {
        problem.value = error;
      },
    );
  }, [attempt.value]);
  const isBusy = finding.value === undefined && problem.value === undefined;
  return (
    <Dialog title={f.validateOf(name)} onClose={onClose}>
      <div role="status" aria-busy={isBusy}>
        {isBusy && <p>{f.validating}</p>}
        {finding.value !== undefined && <FindingDetails of={finding.value} />}
      </div>
      <ProblemAlert problem={problem.value} />
      <div class="dialog-foot">
        <Button busy={isBusy && f.validating} onPress={() => (attempt.value += 1)}>
          {f.validateAgain}
        </Button>
        <Button kind="main" onPress={onClose}>
          {words.value.ui.close}
        </Button>
      </div>
    </Dialog>
  );
}
