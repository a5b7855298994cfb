// CPU time of the processes of a run, by the unit that started them, whoever has become their parent since.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for every program (USER_HZ). */
const TICKS_PER_SECOND = 100;
/** Each process of a unit inherits it, but for the first, whose file has the name. */
export const UNIT_VARIABLE = 'TEST_UNIT';
/** The file that a unit is started by (entry.mjs). */
const ENTRY = /\/units\/([^/]+)\.js$/u;

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

function unitIn(pid) {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    return new RegExp(`\\0${UNIT_VARIABLE}=([^\\0]*)`, 'u').exec(environment)?.[1];
  } catch {
    // It has ended, or belongs to another user.
    return undefined;
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
  /** By process id. */
  #known = new Map();
  /** CPU ticks of processes that have ended and whose parent did not wait for them. */
  #ended = new Map();

  look() {
    const pids = new Set(readdirSync('/proc').filter((name) => /^\d+$/u.test(name)));
    for (const [pid, known] of this.#known) {
      const stat = pids.has(pid) ? statOf(pid) : undefined;
      if (stat?.begun === known.begun) Object.assign(known, stat);
      else this.#forget(pid, known);
    }
    for (const pid of pids) if (!this.#known.has(pid)) this.#meet(pid);
  }

  #meet(pid) {
    const stat = statOf(pid);
    if (stat === undefined) return;
    const unit = this.#known.get(String(stat.parent))?.unit ?? ENTRY.exec(commandOf(pid))?.[1] ?? unitIn(pid);
    this.#known.set(pid, { ...stat, unit });
  }

  #forget(pid, { parent, ticks, unit }) {
    this.#known.delete(pid);
    // The parent's own account has it from now on.
    if (unit === undefined || this.#known.get(String(parent))?.unit === unit) return;
    this.#ended.set(unit, (this.#ended.get(unit) ?? 0) + ticks);
  }

  /** Seconds of CPU that a unit has used so far. */
  cpuOf(unit) {
    const living = [...this.#known.values()].filter((known) => known.unit === unit);
    const ticks = living.reduce((sum, known) => sum + known.ticks, this.#ended.get(unit) ?? 0);
    return ticks / TICKS_PER_SECOND;
  }

  /** Those of a unit that live. */
  livingOf(unit) {
    return [...this.#known]
      .filter(([, known]) => known.unit === unit && !known.isZombie)
      .map(([pid]) => ({ pid: Number(pid), command: commandOf(pid) }));
  }
}
