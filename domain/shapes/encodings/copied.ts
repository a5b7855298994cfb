/** Live streams that copy their source. */
interface Rendition {
  video: { codec: string } | null;
  audio: { codec: string } | null;
}

/** Tells whether packets are taken as the source has them: nothing is decoded, and nothing can be laid over the picture. */
export function isCopied(renditions: readonly Rendition[]): boolean {
  const hasVideo = renditions.some(({ video }) => video !== null);
  return renditions.some(({ video, audio }) => (hasVideo ? video : audio)?.codec === 'copy');
}
