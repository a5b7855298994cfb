/** Server-sent events out of a response as it arrives (HTML Living Standard, 9.2); pieces end anywhere. */

export interface SseMessage {
  event: string;
  data: string;
  /** Left out where the message has none of its own. */
  id?: string;
}

/** Yields each message once it is whole; ends with the stream, and throws as its reading does. */
export async function* messagesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<SseMessage> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const taken = takeMessages(rest, value);
    rest = taken.rest;
    yield* taken.messages;
  }
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
