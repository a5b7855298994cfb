/** Changes of a broadcast on air. The server answers when viewers get them. */
import { callServer } from '../client/call.ts';
import { print } from '../output/format.ts';
import { channelNamed, livestreamNamed } from './names.ts';

export async function switchSource(livestream: string, channel: string): Promise<void> {
  const { livestreamId, name } = await livestreamNamed(livestream);
  const { id: channelId, name: source } = await channelNamed(channel);
  await callServer('runtimeApplySourceSwitch', { livestreamId, channelId });
  print(`${name} shows ${source} now.`);
}
