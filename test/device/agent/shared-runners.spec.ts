/** Which runner takes which run, with processes that live and sockets that answer as a runner's do. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text as readBody } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { SharedRunners } from '../../../device/agent/runs/shared-runners.ts';
import { identify, type ProcessId } from '../../../device/process.ts';

import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { testFolder } from '../../helpers/test-folder.ts';

interface Scene {
  shared: SharedRunners;
  started: ProcessId[];
  /** Resolves with the number of the process that has the run, counted from 0 in the order of their starts. */
  begin(runId: string): Promise<number>;
}

/** `takes` says whether a process takes a further run. */
function setUp(t: TestScope, takes = true): Scene {
  const dir = testFolder(t, 'shared');
  const shared = new SharedRunners();
  const started: ProcessId[] = [];
  const open = (runId: string): void => {
    const server = createServer((request, response) => {
      void readBody(request).then((body) => {
        if (takes) open((JSON.parse(body) as { runId: string }).runId);
        response.writeHead(takes ? 200 : 500).end('{}');
      });
    }).listen(join(dir, `${runId}.sock`));
    cleanUp(t, () => void server.close());
  };
  const begin: Scene['begin'] = async (runId) => {
    const runner = await shared.begin(runId, join(dir, `${runId}.sock`), () => {
      const child = spawn('sleep', ['60'], { stdio: 'ignore' });
      cleanUp(t, () => void child.kill('SIGKILL'));
      const identity = identify(child.pid!)!;
      started.push(identity);
      // As a process of Node, it answers only after a while.
      const opening = setTimeout(() => open(runId), 100);
      cleanUp(t, () => clearTimeout(opening));
      return identity;
    });
    return started.findIndex(({ pid }) => pid === runner?.pid);
  };
  return { shared, started, begin };
}

describe('runners that are shared', () => {
  it('runners that are shared take twenty-five runs each, also those that begin at once', async (t) => {
    const { shared, started, begin } = setUp(t);
    const places = await Promise.all(Array.from({ length: 51 }, (_, n) => begin(`run-${n}`)));
    assert.deepEqual(
      [0, 1, 2].map((at) => places.filter((place) => place === at).length),
      [25, 25, 1],
    );
    assert.equal(shared.isShared('run-0', started[0]!), true);
    assert.equal(shared.isShared('run-50', started[2]!), false);
    shared.leave('run-0');
    assert.equal(await begin('run-51'), 0, 'the fullest that has room');
    assert.equal(await begin('run-52'), 2);
  });

  it('runners that are shared and take no more, or are gone, are passed over', async (t) => {
    const { started, begin } = setUp(t, false);
    assert.equal(await begin('first'), 0);
    assert.equal(await begin('second'), 1, 'the first refuses');
    for (const { pid } of started) process.kill(pid, 'SIGKILL');
    assert.equal(await begin('third'), 2);
  });
});
