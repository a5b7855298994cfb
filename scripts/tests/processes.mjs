// CPU time of the processes of a run, by the unit that started them, whoever has become their parent since.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for every program (USER_HZ). */
const TICKS_PER_SECOND = 100;
/** A process that has said nothing of a unit by then belongs to none. */
const MAX_LOOKS = 3;
/** Each process of a unit inherits it, but for the first, whose file has the name (entry.mjs). */
export const UNIT_VARIABLE = 'TEST_UNIT';

/** Reads what Linux says of a process; undefined once it has gone. `ticks` are its own and those of the children that it has waited for. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
    return {
      parent: Number(fields[1]),
      isZombie: fields[0] === 'Z',
      ticks: user + system + childrenUser + childrenSystem,
      begun: fields[19],
    };
  } catch {
    return undefined;
  }
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    // It has ended, or belongs to another user.
    return '';
  }
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Looks at all processes of the machine each time that it is asked; between two looks it forgets none that it has seen. */
export class Processes {
  /** Processes by their id. */
  known = new Map();
  /** CPU ticks of processes that have ended and whose parent did not wait for them. */
  ended = new Map();
  entry;
  inherited;

  /** `run` begins the names of this run's units: other runs on the machine have others. */
  constructor(run) {
    this.entry = new RegExp(`/units/(${run}-[^/]+)\\.js$`, 'u');
    this.inherited = new RegExp(`(?:^|\\0)${UNIT_VARIABLE}=(${run}-[^\\0]+)`, 'u');
  }

  look() {
    const pids = new Set(readdirSync('/proc').filter((name) => /^\d+$/u.test(name)));
    for (const [pid, known] of this.known) {
      const stat = pids.has(pid) ? statOf(pid) : undefined;
      if (stat?.begun === known.begun) Object.assign(known, stat);
      else this.forget(pid, known);
    }
    for (const pid of pids) this.meet(pid);
  }

  /** A process that was seen between its fork and its program tells its name at the next look. */
  meet(pid) {
    const known = this.known.get(pid) ?? { looks: 0, ...statOf(pid) };
    if (known.begun === undefined || known.unit !== undefined || known.looks === MAX_LOOKS) return;
    const parent = this.known.get(String(known.parent));
    known.looks += 1;
    known.unit = this.entry.exec(commandOf(pid))?.[1] ?? parent?.unit ?? this.inherited.exec(environmentOf(pid))?.[1];
    this.known.set(pid, known);
  }

  forget(pid, { parent, ticks, unit }) {
    this.known.delete(pid);
    // The parent's own account has it from now on.
    if (unit === undefined || this.known.get(String(parent))?.unit === unit) return;
    this.ended.set(unit, (this.ended.get(unit) ?? 0) + ticks);
  }

  /** Seconds of CPU that a unit has used so far. */
  cpuOf(unit) {
    const living = [...this.known.values()].filter((known) => known.unit === unit);
    const ticks = living.reduce((sum, known) => sum + known.ticks, this.ended.get(unit) ?? 0);
    return ticks / TICKS_PER_SECOND;
  }

  /** Those of a unit that live. */
  livingOf(unit) {
    return [...this.known]
      .filter(([, known]) => known.unit === unit && !known.isZombie)
      .map(([pid]) => ({ pid: Number(pid), command: commandOf(pid) }));
  }
}
