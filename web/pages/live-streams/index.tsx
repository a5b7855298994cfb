/** The page Live streams. */
export { LiveStreams as default } from './live-streams.tsx';
