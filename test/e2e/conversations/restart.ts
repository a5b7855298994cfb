/** A conversation in which the server dies, and nobody has to know. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mediaPlaylist } from '../../helpers/broadcast.ts';
import { until } from '../../helpers/until.ts';
import type { Conversation } from './conversation.ts';

const killedServer: Conversation = {
  title: 'a broadcast is still on air after a kill of the server in mid-session, with a recording to take along',
  calls: 6,
  async run({ prepared, connect, note }) {
    const assistant = await connect('v1', { over: 'stdio' });
    assistant.hears('Put the Morning Show on air.');
    const started = await assistant.uses('start_livestream', { livestream: 'Morning Show' });
    assert.equal(started.facts.status, 2, started.text);
    const website = (started.facts.watch as { name: string; url: string }[]).find(({ name }) => name === 'Website')!;
    const before = await until('some segments', async () => {
      const playlist = await mediaPlaylist(website.url);
      return playlist.segments.length > 1 && playlist;
    });
    const { since } = await prepared.statusOf('Morning Show');
    await prepared.service.kill('SIGKILL');
    assistant.hears('Are we still on air?');
    const request = assistant.uses('get_livestream_status', { livestream: 'Morning Show' });
    await prepared.service.restart();
    const air = await request;
    note(air.text);
    assert.deepEqual([air.facts.status, air.facts.since], [2, since], air.text);
    const now = await until('a segment more', async () => {
      const playlist = await mediaPlaylist(website.url);
      return playlist.segments.length > before.segments.length && playlist;
    });
    assert.deepEqual(now.segments.slice(0, before.segments.length), before.segments, 'one goes on from the other');
    assert.equal(now.discontinuities, 0, 'viewers have noticed nothing');

    assistant.hears('Give me a link to the recording.');
    await assistant.finds('createRecordingDownload', 'download link of the recording');
    const { recordingId } = air.facts as { recordingId: number };
    const refused = await assistant.runs('createRecordingDownload', { recordingId });
    note(refused.text);
    assert.equal(refused.facts.code, 'wrong_state');
    assistant.hears('Then stop it first.');
    const stopped = await assistant.uses('stop_livestream', { livestream: 'Morning Show' });
    assert.equal(stopped.facts.status, 0, stopped.text);
    const link = await assistant.waits(
      () => assistant.runs('createRecordingDownload', { recordingId }),
      ({ code }) => code !== 'wrong_state',
    );
    assert.ok(!link.isError, link.text);
    const { url } = link.facts.data as { url: string };
    const seconds = spawnSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', url], {
      encoding: 'utf8',
    });
    assert.ok(Number(seconds.stdout) > 2, `${seconds.stdout}${seconds.stderr}`);
    assert.equal((await prepared.statusOf('Morning Show')).status, 0);
  },
};

export const RESTART = [killedServer];
