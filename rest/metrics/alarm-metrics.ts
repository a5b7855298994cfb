/** Alarms of the installation, in the Prometheus text format. */
import { alarmFacts, type AlarmSources } from '../../domain/rules/installation/alarm-facts.ts';
import { ALARM_CHECKS, FINDING_STATES, worstOf } from '../../domain/shapes/installation/finding.ts';
import type { System } from '../../domain/shapes/installation/system.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { family, oneHot } from './exposition.ts';

export interface AlarmDeps extends AlarmSources {
  system: Pick<System, 'alarms'>;
  clock: Pick<Clock, 'now'>;
}

/** A check has one state, the worst that it has found, so that the number of series stays the same. */
export async function alarmFamily({ system, clock, ...sources }: AlarmDeps): Promise<string> {
  const alarms = await system.alarms(await alarmFacts(sources, toIso(clock.now())));
  return family(
    'onair_alarm',
    'gauge',
    'What a check of the installation has found: 1 for the worst state.',
    ALARM_CHECKS.flatMap((check) =>
      oneHot(FINDING_STATES, worstOf(alarms.filter((alarm) => alarm.check === check)), { check }),
    ),
  );
}
