/** The outcome of an occurrence, from the events of its Live stream. */
interface EventRow {
  id: number;
  at: string;
  kind: string;
  severity: string;
  message: string;
  data?: Readonly<Record<string, unknown>> | undefined;
}

const TOLD = /^(?:schedule_missed|schedule_warning|start_failed|schedule_stopped)$/u;
/** The last words say most. */
const MAX_TOLD = 3;

/** The reasons that the server gave for this occurrence, the last ones; the same words once. */
export function reasonsOf<E extends EventRow>(events: readonly E[], of: { scheduleId: number; start: string }): E[] {
  const own = events.filter(({ kind, severity, data = {} }) => {
    const isOther = data['scheduleId'] !== undefined && data['scheduleId'] !== of.scheduleId;
    const isAnother = data['occurrence_start'] !== undefined && data['occurrence_start'] !== of.start;
    return TOLD.test(kind) && severity !== 'info' && !isOther && !isAnother;
  });
  const last = new Map<string, E>();
  for (const event of own) {
    last.delete(event.message);
    last.set(event.message, event);
  }
  return [...last.values()].slice(-MAX_TOLD);
}
