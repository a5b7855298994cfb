/** Whether the server says that it is ready; a load balancer asks the same. */

export interface Readiness {
  status: 'ready' | 'not_ready';
  store: { ok: boolean; problem?: string | null };
}

/** A server that is not ready says so in the body of a 503. undefined: it said nothing. */
export async function askReadiness(): Promise<Readiness | undefined> {
  try {
    const response = await fetch(new URL('readyz', document.baseURI));
    return (await response.json()) as Readiness;
  } catch {
    return undefined;
  }
}

export interface Disk {
  free: number;
  size: number;
}

/** Where the server keeps its data, as it tells those who watch over it. undefined: it does not say. */
export async function askDisk(): Promise<Disk | undefined> {
  try {
    const response = await fetch(new URL('metrics', document.baseURI));
    const text = await response.text();
    const figure = (name: string): number =>
      Number(new RegExp(`^onair_data_disk_${name}_bytes (\\S+)$`, 'mu').exec(text)?.[1]);
    const disk = { free: figure('free'), size: figure('size') };
    return disk.size > 0 ? disk : undefined;
  } catch {
    return undefined;
  }
}
