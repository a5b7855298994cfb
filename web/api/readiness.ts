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
