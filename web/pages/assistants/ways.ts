/** The address of MCP, and the links by which programs take it as an entry of their own. */

/** It is beside the page, below whatever path a proxy has put both. */
export function mcpAddress(): string {
  return new URL('mcp', document.baseURI).href;
}

/** A program that runs beside the assistant needs it. */
export function serverAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/u, '');
}

/** Assistants sign people in over TLS, or on this machine. */
export function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./u.test(hostname);
}

export function vsCodeLink(url: string): string {
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'onair', type: 'http', url }))}`;
}

export function cursorLink(url: string): string {
  const config = encodeURIComponent(btoa(JSON.stringify({ url })));
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=onair&config=${config}`;
}

export function claudeCodeLine(url: string): string {
  return `claude mcp add --transport http onair ${url}`;
}
