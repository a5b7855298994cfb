/** Each request is a POST, and so is its cancellation. */
import { messageOf } from './event-stream.ts';
import { createPost, type Post } from './post.ts';
import { replyOf, SILENCE_MS, type Transport, type ServerAddress } from './transport.ts';

export function openPosts({ url, headers: own }: ServerAddress): Transport {
  const post = createPost();
  // A cancellation finds its call by this and the id.
  const session = { 'mcp-session-id': crypto.randomUUID() };
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const headers = { ...own, ...session, ...types };
  const send = (message: object): ReturnType<Post> =>
    post(url, { headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }), silenceMs: SILENCE_MS });
  let lastId = 0;
  return {
    async request(request, { signal, progress }) {
      const id = (lastId += 1);
      const cancel = (): void =>
        void send({ method: 'notifications/cancelled', params: { requestId: id } }).then(
          (taken) => taken.resume(),
          () => undefined,
        );
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return replyOf(await messageOf(await send({ id, ...request }), progress));
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
  };
}
