/** The tab of single Devices. */
import { can } from '../../api/can.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { AddMachine } from './add-machine.tsx';
import { DeviceDetails } from './details.tsx';
import { HeldBanner, HoldButton } from './held.tsx';
import { LoadBar, OnlineState, Running, SlotsBar } from './live.tsx';
import { words } from './words.ts';

const ORDER = ['ip_address', 'register_username', 'register_password', 'enabled', 'location', 'description'];

function devices() {
  const w = words.value;
  const choices = { type: w.types };
  return defineResource({
    list: 'getAllDevices',
    one: 'getDeviceById',
    add: 'addDevice',
    update: 'updateDevice',
    remove: 'deleteDevice',
    idParam: 'deviceId',
    page: 'devices',
    sort: { by: 'name', order: 'asc' },
    nameOf: (row) => row.name,
    words: () => ({ table: w.title, add: w.add, empty: w.empty }),
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: (row) => row.name, sortBy: 'name' },
      { id: 'state', label: w.state, cell: (row) => <OnlineState row={row} /> },
      { id: 'load', label: w.load, cell: (row) => <LoadBar row={row} /> },
      { id: 'slots', label: w.slots, cell: (row) => <SlotsBar row={row} /> },
      { id: 'running', label: w.running, cell: (row) => <Running row={row} />, isMinor: true },
      { id: 'type', label: fieldLabel('type'), cell: (row) => w.types[row.type], isMinor: true },
    ],
    drawer: (row) => <DeviceDetails row={row} />,
    // The alias is the name once more.
    addLayout: { order: ORDER, hidden: ['alias'], choices },
    layout: {
      order: ORDER,
      hidden: ['alias'],
      // A new pairing is rare: the agent lost its key, or another machine stands in its place.
      advanced: ['register_username', 'register_password'],
      choices,
    },
  });
}

export function Devices() {
  return (
    <>
      <HeldBanner />
      <ResourcePage
        of={devices()}
        bar={
          <>
            {can('createJoinToken') && <AddMachine />}
            <HoldButton />
          </>
        }
      />
    </>
  );
}
