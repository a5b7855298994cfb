/** Server-sent events out of text as it arrives (HTML Living Standard, 9.2); pieces end anywhere. */

export interface SseMessage {
  event: string;
  data: string;
  /** Left out where the message has none of its own. */
  id?: string;
}

/** The whole messages of `rest` and `text`, and what begins the next one. */
export function takeMessages(rest: string, text: string): { messages: SseMessage[]; rest: string } {
  const blocks = (rest + text).split('\n\n');
  const open = blocks.pop() ?? '';
  return { messages: blocks.flatMap(messageIn), rest: open };
}

function messageIn(block: string): SseMessage[] {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/u.exec(line) ?? [];
    fields.set(name, name === 'data' && fields.has('data') ? `${fields.get('data')}\n${value}` : value);
  }
  const data = fields.get('data');
  if (data === undefined) return [];
  const id = fields.get('id');
  return [{ event: fields.get('event') ?? 'message', data, ...(id !== undefined && { id }) }];
}
