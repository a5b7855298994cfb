/**
 * Copies of audit entries for other programs, line by line as they come: to a file, to the system log, to a syslog server. The store has them
 * all; a copy that fails holds nothing up.
 */
import type { Log } from '../../domain/base/log.ts';
import type { Store } from '../../domain/ports/store.ts';
import { auditFile } from './audit-file.ts';
import { auditSyslog } from './audit-syslog.ts';
import type { AuditCopy } from './copy.ts';

interface AuditSettings {
  auditFile?: string | undefined;
  auditSyslog?: string | undefined;
}

/** The answer ends it once everything until then is written. Rejects with AppError unavailable for a file that cannot be written. */
export async function copyAudit(
  settings: AuditSettings,
  store: Pick<Store, 'getMany' | 'onChange'>,
  log: Log,
): Promise<() => Promise<void>> {
  const copies: AuditCopy[] = [];
  if (settings.auditFile !== undefined) copies.push(await auditFile(settings.auditFile));
  if (settings.auditSyslog !== undefined) copies.push(auditSyslog(settings.auditSyslog));
  const queues = copies.map((copy) => new CopyQueue(copy, store, log));
  const end = store.onChange((changes) => {
    const ids = changes.flatMap(({ collection, id }) => (collection === 'audit' ? [id] : []));
    if (ids.length > 0) for (const queue of queues) queue.add(ids);
  });
  return async () => {
    end();
    for (const queue of queues) await queue.settled();
    for (const copy of copies) await copy.close();
  };
}

/** Entries that come while others are written are written together behind them. */
class CopyQueue {
  private readonly copy: AuditCopy;
  private readonly store: Pick<Store, 'getMany'>;
  private readonly log: Log;
  private waiting: number[] = [];
  private writing: Promise<void> | undefined;
  /** Entries that are in the store alone since the copy has failed. */
  private missed = 0;

  constructor(copy: AuditCopy, store: Pick<Store, 'getMany'>, log: Log) {
    this.copy = copy;
    this.store = store;
    this.log = log;
  }

  add(ids: readonly number[]): void {
    this.waiting.push(...ids);
    this.writing ??= this.drain().finally(() => (this.writing = undefined));
  }

  async settled(): Promise<void> {
    await this.writing;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const ids = this.waiting;
      this.waiting = [];
      try {
        await this.copy.write(await this.store.getMany('audit', ids));
        if (this.missed > 0)
          this.log.warn(
            { missed: this.missed },
            `${this.copy.name} takes audit entries again; those missed are in the store alone`,
          );
        this.missed = 0;
      } catch (error) {
        if (this.missed === 0)
          this.log.error({ err: error }, `${this.copy.name} takes no audit entries; the store has them`);
        this.missed += ids.length;
      }
    }
  }
}
