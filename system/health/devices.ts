/** The Devices, as this server knows them: whether they are there, what they lack, their disks and clocks. */
import { called } from '../../domain/base/sentence.ts';
import { storageFinding, STORAGE_SEVERITIES } from '../../domain/rules/devices/device-storage.ts';
import type { AlarmFacts, DeviceFacts } from '../../domain/shapes/installation/alarm-facts.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { megabytes } from '../../linux/disk-space.ts';
import { isLow } from './machine.ts';
import { programs } from './programs.ts';

type Check = 'devices' | 'programs' | 'features' | 'storage' | 'device_clocks' | 'fleet';

/** A time that is told over a busy network may be late by so much. */
const CLOCK_SECONDS = 5;

export function deviceFindings({ devices, abilities, unable, held }: AlarmFacts): Finding<Check>[] {
  const among = (of: (facts: DeviceFacts, name: string) => Finding<Check>[]): Finding<Check>[] =>
    devices.flatMap((facts) => of(facts, called('Device', facts.device)));
  const number = devices.length === 1 ? 'The Device' : `Each of ${devices.length} Devices`;
  return [
    ...orOk(among(presence), 'devices', devices.length === 0 ? 'No Device is enabled.' : `${number} answers.`),
    ...orOk(among(ownPrograms), 'programs', 'ffmpeg is there, and is confined to the files of its broadcast.'),
    ...orOk(features(abilities, unable), 'features', 'Some Device can do each thing that is set up.'),
    ...orOk(among(storage), 'storage', 'Each disk of a Device that tells of it can be written to.'),
    ...orOk(among(clocks), 'device_clocks', 'No Device is known to have another time than this server.'),
    fleet(held),
  ];
}

function fleet(held: AlarmFacts['held']): Finding<'fleet'> {
  if (held === undefined) return ok('fleet', 'Broadcasts may be moved to other Devices.');
  return warning(
    'fleet',
    `${held.by} holds the fleet: no broadcast is moved to another Device by itself.`,
    'Call releaseFleet (onair fleet release) when the work is over and the Devices answer.',
    { since: held.since },
  );
}

function orOk(wrong: Finding<Check>[], check: Check, detail: string): Finding<Check>[] {
  return wrong.length > 0 ? wrong : [ok(check, detail)];
}

function presence({ device, state, away_since: since }: DeviceFacts, name: string): Finding<'devices'>[] {
  const { refused_machine: refused, not_understood: strange } = state;
  const of = device.id;
  return [
    ...(state.online || strange !== null
      ? []
      : [
          failure(
            'devices',
            `${name} does not answer.`,
            'See whether its machine and its agent (onair device) run and reach this server; disable it with updateDevice while it is out of service.',
            { of, since },
          ),
        ]),
    ...(strange === null
      ? []
      : [
          failure(
            'devices',
            `${name} says what no Device says, so its connection is closed: ${strange.reason}`,
            "Compare its version with the server's, and see who has access to that machine.",
            { of: `${of} strange`, since: strange.since },
          ),
        ]),
    ...(refused === null
      ? []
      : [
          failure(
            'devices',
            `Another machine${refused.name === null ? '' : ` ("${refused.name}")`} at ${refused.address} dials with the key of ${name}, and gets no orders.`,
            'One machine is one Device: run `onair device unpair` there, and let it join anew.',
            { of: `${of} refused`, since: refused.since },
          ),
        ]),
  ];
}

/** Types of sources and Destinations that nothing here uses are no alarm. */
function ownPrograms({ device: { id: of, capabilities } }: DeviceFacts, name: string): Finding<'programs'>[] {
  if (capabilities === null) return [];
  return programs(capabilities, 'ffmpeg 5.1 or later there')
    .filter(({ check, state }) => check !== 'features' && state !== 'ok')
    .map((found) => ({ ...found, check: 'programs', detail: `${name}: ${found.detail}`, of: `${of} ${found.check}` }));
}

function features(abilities: AlarmFacts['abilities'], unable: readonly string[]): Finding<'features'>[] {
  return unable.map((feature) => {
    const needs = abilities.flatMap(({ missing }) => missing).find((each) => each.feature === feature)?.needs;
    const remedy = needs === undefined ? 'Update the Device that is to do it.' : `It needs ${needs}.`;
    return warning('features', `No Device can do what is set up here: ${feature}.`, remedy, { of: feature });
  });
}

function storage(
  { device: { id }, state: { online, storage: disks } }: DeviceFacts,
  name: string,
): Finding<'storage'>[] {
  // Of a Device that is away nothing is known.
  if (!online) return [];
  return disks.flatMap(({ use, status, free, total }) => {
    const origin = { of: `${id} ${use}` };
    const remedy = `See to that disk on the machine of the Device; it is tried each half minute.`;
    if (status !== 'mounted') {
      const make = STORAGE_SEVERITIES[status] === 'error' ? failure : warning;
      return [make('storage', `${name}: ${storageFinding(use, status)}`, remedy, origin)];
    }
    if (free === null || total === null || !isLow(free, total)) return [];
    const detail = `${name}: ${megabytes(free)} of ${megabytes(total)} are free on the disk of its ${use}.`;
    return [warning('storage', detail, 'Delete Recordings that are not needed, or give it a larger disk.', origin)];
  });
}

function clocks({ device: { id: of }, clock_ahead: ahead = 0 }: DeviceFacts, name: string): Finding<'device_clocks'>[] {
  if (Math.abs(ahead) < CLOCK_SECONDS) return [];
  const way = ahead > 0 ? 'ahead of' : 'behind';
  return [
    warning(
      'device_clocks',
      `The clock of ${name} is ${Math.abs(ahead).toFixed(0)} s ${way} that of this server: times of its Recordings and events are wrong by that.`,
      'Let a time service keep both clocks: apt-get install chrony, or timedatectl set-ntp true.',
      { of },
    ),
  ];
}
