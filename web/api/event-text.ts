/** Server-sent events out of a text that comes in pieces; each has one line of JSON. */
interface TextEvent {
  event: string;
  data: unknown;
}

/** `rest` begins an event that is not whole yet. Comments keep a connection open and say nothing. */
export function eventsIn(text: string): { events: TextEvent[]; rest: string } {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  const events = blocks.flatMap((block) => {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/u.exec(block) ?? [];
    return event === undefined ? [] : [{ event, data: JSON.parse(data ?? 'null') as unknown }];
  });
  return { events, rest };
}
