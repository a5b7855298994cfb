/** Links to a request in the audit, for who may read it; controls know no page, so that the shell sets it. */
import { signal } from '@preact/signals';

export const auditHref = signal<((requestId: string) => string) | undefined>(undefined);
