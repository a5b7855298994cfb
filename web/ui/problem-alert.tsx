/** A refusal or a failure: what happened, what helps, what the other side answered, and the number to quote. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { issueText, problemTitle, remedyText } from '../i18n/problem-text.ts';
import { withWords, words } from '../i18n/words.ts';
import { CopyButton } from './copy-button.tsx';
import { Button } from './button.tsx';
import { auditHref } from './registry/audit-link.ts';
import { Icon } from './show/icon.tsx';

/** A problem as the server describes it (RFC 9457); ProblemError of api/problems.ts is one. */
interface Problem {
  message: string;
  status?: number;
  fields?: {
    detail?: string;
    remedy?: string;
    request_id?: string;
    upstream?: unknown;
    code?: string;
    errors?: readonly { field?: string; pointer?: string; code?: string; message?: string }[];
  };
}

interface ProblemAlertProps {
  /** Nothing is shown without one. */
  problem: Problem | Error | null | undefined;
  /** Names of fields that show their errors themselves. */
  shownFields?: readonly string[];
  onRetry?: (() => void) | undefined;
}

export function ProblemAlert({ problem, shownFields = [], onRetry }: ProblemAlertProps) {
  if (problem == null) return null;
  const { fields = {}, message, status } = problem as Problem;
  const w = words.value;
  const { code, detail, remedy, request_id: requestId, upstream, errors = [] } = fields;
  const title = problemTitle(code);
  const audit = requestId === undefined ? undefined : auditHref.value?.(requestId);
  const others = errors.filter(
    ({ field, pointer }) => !shownFields.includes(field ?? pointer?.replace(/^\//u, '') ?? ''),
  );
  const known = remedy === undefined ? undefined : remedyText(remedy);
  // It names fields as programs do, and stands at them or in the list below.
  const listing = errors.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
  // The page has said it in the language of the reader; the server's own words can be opened.
  const isSaid = title !== undefined;
  const findings = others.flatMap(({ message: text = '' }) => (detail?.includes(text) === true ? [] : text));
  const folded = isSaid ? [detail, ...findings, known === undefined && remedy] : [];
  const own = folded.filter((text) => typeof text === 'string' && text !== '');
  return (
    <div role="alert" class="problem">
      <Icon name="circle-alert" size={20} />
      <div>
        <p>{status === 0 ? w.notReached : (title ?? (detail ?? message).replace(listing, '').trimEnd())}</p>
        {others.length > 0 && (
          <ul>
            {others.map((issue) => {
              const name = issue.field ?? issue.pointer;
              return (
                <li key={`${name} ${issue.message}`}>
                  {name !== undefined && <FieldName path={name} />} {issueText(issue)}
                </li>
              );
            })}
          </ul>
        )}
        {(known ?? (!isSaid && remedy)) && <p class="soft">{known ?? remedy}</p>}
        {own.length > 0 && (
          <details>
            <summary>{w.ui.details}</summary>
            {own.map((text) => (
              <p key={text} class="soft" lang="en">
                {text}
              </p>
            ))}
          </details>
        )}
        {upstream !== undefined && upstream !== null && (
          <details>
            <summary>{w.ui.upstream}</summary>
            <pre>{typeof upstream === 'string' ? upstream : JSON.stringify(upstream, null, 2)}</pre>
          </details>
        )}
        <div class="acts">
          {onRetry !== undefined && <Button onPress={onRetry}>{w.tryAgain}</Button>}
          {audit !== undefined && <a href={audit}>{w.ui.inAudit}</a>}
          {requestId !== undefined && <CopyButton text={requestId} label={w.ui.copyRequestId} />}
        </div>
      </div>
    </div>
  );
}

const labelOf = signal<((path: string) => string) | undefined>(undefined);

/** As its form names it. The names of all fields are fetched with the first refusal that needs one. */
function FieldName({ path }: { path: string }) {
  useEffect(() => {
    withWords(import('../i18n/field-labels.ts')).then(
      ({ fieldLabel }) => (labelOf.value = fieldLabel),
      () => undefined,
    );
  }, []);
  return <strong>{labelOf.value?.(path.replace(/^\//u, '').replaceAll('/', '.')) ?? path}:</strong>;
}
