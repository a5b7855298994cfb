/** The service and the assistant of the demo are real processes, as a user would run them. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const program = fileURLToPath(new URL('../../bin/onair.js', import.meta.url));

export interface DemoServer {
  url: string;
  token: string;
  /** The password of the user admin on the operators' page. */
  password: string;
  /** The entry for an assistant's `mcpServers`. */
  assistantConfig: { command: string; args: string[]; env: Record<string, string> };
  lastLines(): string;
  close(): Promise<void>;
}

/** All files that the service writes stay in the scratch folder, the credentials file too. */
export async function startServer(scratch: string, port: string): Promise<DemoServer> {
  const token = `demo_${randomBytes(24).toString('base64url')}`;
  const password = randomBytes(9).toString('base64url');
  const env = {
    ...process.env,
    ONAIR_DATA: join(scratch, 'data'),
    ONAIR_PORT: port,
    XDG_CONFIG_HOME: join(scratch, 'config'),
    ONAIR_BOOTSTRAP_TOKEN: token,
    ONAIR_BOOTSTRAP_PASSWORD: password,
  };
  // The service has its own process group: Ctrl-C in the terminal reaches the demo alone, which then takes things down in order.
  const child = spawn(process.execPath, [program, 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let output = '';
  const close = async (): Promise<void> => {
    const device = spawn(process.execPath, [program, 'device', 'stop'], { env, stdio: 'inherit' });
    await once(device, 'exit');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  };
  const ready = new Promise<string>((resolve, reject) => {
    const bound = setTimeout(() => reject(new Error(`the service is not ready after 30 s:\n${output}`)), 30_000);
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
      const address = /^onair: ready (\S+)$/mu.exec(output)?.[1];
      if (address === undefined) return;
      clearTimeout(bound);
      resolve(address);
    });
    child.once('exit', (code) => {
      clearTimeout(bound);
      reject(new Error(`the service ended with ${code}:\n${output}`));
    });
  });
  // A service that is half up is taken down like a whole one.
  const url = await ready.catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url,
    token,
    password,
    assistantConfig: { command: process.execPath, args: [program, 'mcp'], env: { ONAIR_URL: url, ONAIR_TOKEN: token } },
    lastLines: () => output.split('\n').slice(-20).join('\n'),
    close,
  };
}

export interface Assistant {
  toolNames(): Promise<string[]>;
  /** Answers the structured content; throws with the problem's own words. `progress` receives the server's progress messages. */
  call<T>(name: string, args: Record<string, unknown>, progress?: (message: string) => void): Promise<T>;
  /** Calls an operation by its operationId, through call_tool. */
  operation<T>(operationId: string, args: Record<string, unknown>): Promise<T>;
  close(): Promise<void>;
}

export async function connectAssistant({ assistantConfig }: DemoServer): Promise<Assistant> {
  const client = new Client({ name: 'onair-demo', version: '1.0.0' });
  const { command, args, env } = assistantConfig;
  await client.connect(
    new StdioClientTransport({ command, args, env: { ...(process.env as Record<string, string>), ...env } }),
  );
  const call: Assistant['call'] = async <T>(
    name: string,
    input: Record<string, unknown>,
    progress?: (message: string) => void,
  ): Promise<T> => {
    const hook = progress && { onprogress: ({ message = '' }: { message?: string }) => progress(message) };
    const result = await client.callTool({ name, arguments: input }, undefined, { timeout: 120_000, ...hook });
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.structuredContent ?? result.content)}`);
    return result.structuredContent as T;
  };
  return {
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call,
    operation: (operationId, input) => call('call_tool', { operationId, arguments: input }),
    close: () => client.close(),
  };
}
