/** The store of this server, and the servers that share it. */
import type { StoreHealth } from '../../domain/ports/store.ts';
import type { AlarmFacts } from '../../domain/shapes/installation/alarm-facts.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { memberState, type StoreMember } from '../../domain/shapes/installation/member.ts';

export function storeFindings(
  { ok: isWell, problem, shortage }: StoreHealth,
  { restored }: AlarmFacts,
): Finding<'store'>[] {
  const wrong: Finding<'store'>[] = [];
  if (!isWell)
    wrong.push(
      failure('store', `No write is accepted: ${problem}.`, 'See to the disk or the database; see docs/upkeep.md.'),
    );
  else if (shortage !== undefined)
    wrong.push(failure('store', `What can wait is refused: ${shortage.message}.`, 'Make room on that disk.'));
  if (restored !== undefined)
    wrong.push(
      warning(
        'store',
        'The store went back: Schedules and planned actions that are older wait for a person.',
        'See getRestore for what is lost, then call acknowledgeRestore.',
        { of: 'restored', since: restored.noticed_at },
      ),
    );
  return wrong.length > 0 ? wrong : [ok('store', 'Writes are accepted.')];
}

/** `members` are none where the store is not shared. */
export function serverFindings(members: readonly StoreMember[]): Finding<'servers'>[] {
  const wrong = members.flatMap(({ id: of, name, silentMs, seen_at: since }) =>
    memberState(silentMs) === 'up'
      ? []
      : [
          warning(
            'servers',
            `Server ${name} was last heard of at ${since}.`,
            'Start it, or see why it does not reach the database; one that is gone for a day is left out.',
            { of, since },
          ),
        ],
  );
  if (wrong.length > 0) return wrong;
  return [ok('servers', members.length === 0 ? 'This server has its store alone.' : `All ${members.length} are up.`)];
}
