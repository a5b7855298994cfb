/** Lies over what was shown when the session ended, with the sign-in form on it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { SignInForm } from './sign-in-form.tsx';

export function Veil() {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      // What lies below takes focus again with the next frame.
      requestAnimationFrame(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus();
      });
    };
  }, []);
  return (
    <dialog ref={ref} class="veil" aria-labelledby="sign-in" onCancel={(event) => event.preventDefault()}>
      <SignInForm />
    </dialog>
  );
}
