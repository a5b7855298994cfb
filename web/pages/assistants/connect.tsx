/** How an assistant is connected: the address, and the ways of programs that have one of their own. */
import { CopyButton } from '../../ui/copy-button.tsx';
import { claudeCodeLine, cursorLink, isSafe, mcpAddress, serverAddress, vsCodeLink } from './ways.ts';
import { words } from './words.ts';

export function Connect() {
  const w = words.value;
  const address = mcpAddress();
  const line = claudeCodeLine(address);
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">{w.connect}</h2>
      <p class="soft">{w.connectText}</p>
      {!isSafe(address) && (
        <p class="warn">
          <span aria-hidden="true">▲ </span>
          {w.needsTls}
        </p>
      )}
      <dl class="fact-list ways">
        <div>
          <dt>{w.hosted}</dt>
          <dd>
            <code class="address">{address}</code> <CopyButton text={address} label={w.copyAddress} />
            <p class="soft">{w.hostedText}</p>
          </dd>
        </div>
        <div>
          <dt>{w.editors}</dt>
          <dd>
            <a class="button" href={vsCodeLink(address)}>
              {w.addTo('VS Code')}
            </a>{' '}
            <a class="button" href={cursorLink(address)}>
              {w.addTo('Cursor')}
            </a>
            <p class="soft">{w.editorsText}</p>
          </dd>
        </div>
        <div>
          <dt>Claude Code</dt>
          <dd>
            <code class="address">{line}</code> <CopyButton text={line} label={w.copyLine} />
            <p class="soft">{w.claudeCodeText}</p>
          </dd>
        </div>
        <div>
          <dt>{w.desktop}</dt>
          <dd>
            <code class="address">onair-….mcpb</code>
            <p class="soft">{w.desktopText(serverAddress())}</p>
          </dd>
        </div>
      </dl>
    </section>
  );
}
