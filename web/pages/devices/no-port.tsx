/** Why no machine can join, and what an Administrator of the server does about it. */
import { words } from './words.ts';

export function NoPort() {
  return (
    <p class="warn" role="alert">
      <span aria-hidden="true">▲ </span>
      {words.value.noPort}
    </p>
  );
}
