/**
 * A client shows this of the server before any call. The page's own icon goes as data, because a client of stdio has no address to load
 * one from; tools carry none, because ten of them would cost a model more than what the list says.
 */
export interface ServerInfo {
  name: string;
  title: string;
  version: string;
  description: string;
  icons: { src: string; mimeType: string; sizes: string[] }[];
}

/** As in web/style/icon.svg, which a test compares. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b0e13"/><circle cx="8" cy="8" r="4" fill="#3ecf8e"/></svg>';

/** Every answer of the newest generation repeats it, so that it must be short there. */
export const serverName = ({ version }: { version: string }): Pick<ServerInfo, 'name' | 'title' | 'version'> => ({
  name: 'onair',
  title: 'onair',
  version,
});

export const serverInfo = (server: { version: string }): ServerInfo => ({
  ...serverName(server),
  description: 'Controls live-streaming broadcasts: starts, stops, schedules, changes and records them.',
  icons: [
    {
      src: `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`,
      mimeType: 'image/svg+xml',
      sizes: ['any'],
    },
  ],
});
