/** A change of a Publishing group is answered once the broadcasts on air have taken it over, so that what has joined can be turned on at once. */
import { pause } from '../../domain/pause.ts';
import { streamsBehind } from '../../domain/rules/members-on-air.ts';
import type { Answer, Tool, ToolContext } from '../tool.ts';

/** It takes some milliseconds; a Device that is away takes it over when it is back. */
const LOOK_MS = 10;
const MAX_LOOKS = 500;

interface Body {
  data: { id: number; notes?: string[] };
}

export function onceJoined(tool: Tool): Tool {
  return {
    ...tool,
    async handle(ctx: ToolContext, input: never) {
      const answer = (await tool.handle(ctx, input)) as Answer<Body>;
      const { data } = answer.body;
      const behind = await waitForJoin(ctx, data.id);
      if (behind.length === 0) return answer;
      const note = `This is still under way for ${behind.join(', ')}; getLivestreamStatus shows when it is done.`;
      return { ...answer, body: { data: { ...data, notes: [...(data.notes ?? []), note] } } };
    },
  };
}

async function waitForJoin({ store, signal }: ToolContext, groupId: number): Promise<string[]> {
  for (let look = 1; ; look += 1) {
    const behind = await store.view((view) => streamsBehind(view, groupId));
    if (behind.length === 0 || look === MAX_LOOKS || !(await pause(LOOK_MS, signal))) return behind;
  }
}
