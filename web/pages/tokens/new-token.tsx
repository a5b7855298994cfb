/** A token that has just been made: it is shown once, with what an assistant needs to use it. */
import { useId } from 'preact/hooks';
import type { DataOf } from '../../api/operation-types.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { words } from './words.ts';

/** The address of MCP is beside the page, below whatever path a proxy has put both. */
function snippetOf(token: string): string {
  const onair = {
    type: 'http',
    url: new URL('mcp', document.baseURI).href,
    headers: { Authorization: `Bearer ${token}` },
  };
  return JSON.stringify({ mcpServers: { onair } }, null, 2);
}

export function NewToken({ of: { name, token }, onClose }: { of: DataOf<'createApiToken'>; onClose: () => void }) {
  const id = useId();
  const w = words.value;
  const snippet = snippetOf(token);
  return (
    <Dialog title={w.ready(name)} description={w.once} onClose={onClose} size="wide" canClose={false}>
      <div class="new-token">
        <label for={`${id}-token`}>{w.token}</label>
        <input
          id={`${id}-token`}
          class="secret"
          readOnly
          value={token}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton text={token} label={w.copyToken} />
        <h3 id={`${id}-snippet`}>{w.snippet}</h3>
        <pre tabIndex={0} role="group" aria-labelledby={`${id}-snippet`}>
          {snippet}
        </pre>
        <CopyButton text={snippet} label={w.copySnippet} />
      </div>
      <footer class="dialog-foot">
        <Button kind="main" onPress={onClose}>
          {w.done}
        </Button>
      </footer>
    </Dialog>
  );
}
