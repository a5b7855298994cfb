import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { openStore } from '../../store/open.ts';

describe('a document of schema version 3', () => {
  it('gets listeners for its pushed Channels, on the Device of this machine, and a start that needs its source', async () => {
    const text = await readFile(new URL('fixtures/version-3/document.json', import.meta.url), 'utf8');
    const store = await openStore({ kind: 'memory' });
    await store.importDocument(() => [text]);
    const channels = (await store.find('channels', {})).rows;
    assert.deepEqual(
      channels.map(({ name, enabled, deviceId }) => [name, enabled, deviceId]),
      [
        ['pulled', true, null],
        ['OBS', true, 2],
        ['listener', true, 2],
        ['caller', true, null],
      ],
    );
    const [livestream] = (await store.find('livestreams', {})).rows;
    const { startWithoutSource, backupChannelId, failover } = livestream!;
    assert.deepEqual([startWithoutSource, backupChannelId, failover.on], ['fail', null, ['loss']]);
    await store.close();
  });
});
