/** Claims about the types of the client; this file is only compiled. An error that is expected and does not come is an error. */
import { createClient, type OnairProblem, type Schemas } from 'onair/client';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare const error: OnairProblem;
declare const blob: Blob;
const client = createClient({ url: 'http://127.0.0.1:8090', token: 'x' });

/** Never called. */
export async function claims(): Promise<true[]> {
  const { data } = await client.getChannelById({ channelId: 7 });
  const { rows, pagination } = await client.getAllLivestreams();
  const { data: started } = await client.start_livestream({ livestream: 'Sunday service' });
  const read = {
    picture: await client.metrics(),
    feed: await client.getFeed({}, { headers: { 'Last-Event-ID': '7' }, signal: AbortSignal.timeout(60_000) }),
  };
  await client.uploadAsset({ fileType: 'logos', file: blob });
  return [
    true satisfies Same<typeof data, Schemas['Channel']>,
    true satisfies Same<(typeof rows)[number]['name'], string>,
    true satisfies Same<typeof pagination.total, number>,
    true satisfies Same<typeof started.livestreamId, number>,
    true satisfies Same<typeof read.picture, string>,
    true satisfies Same<typeof read.feed, Response>,
    true satisfies Same<string extends typeof error.code ? true : false, false>,
    true satisfies Same<typeof error.detail, string>,
  ];
}

/** Never called. */
export async function refusedByTheCompiler(): Promise<void> {
  // @ts-expect-error A field that is required is missing.
  await client.addChannel({ type: 'Stream', settings: { url: 'https://origin.example/index.m3u8' } });
  // @ts-expect-error A field that the operation does not know.
  await client.startLivestream({ livestreamId: 7, qualities: [3] });
  // @ts-expect-error A word that is not in the list.
  await client.listAssets({ fileType: 'pictures' });
  // @ts-expect-error No id.
  await client.getChannelById({});
  // @ts-expect-error No arguments.
  await client.getChannelById();
  // @ts-expect-error An operation that there is not.
  await client.getChanels();
  // @ts-expect-error An answer has no such field.
  (await client.getChannelById({ channelId: 7 })).data.nmae;
  // @ts-expect-error A code that there is not.
  if (error.code === 'no_idea') return;
}
