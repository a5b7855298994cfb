/** Sets properties of a style by script, which passes the policy where a style attribute does not. */
export function placed(values: Readonly<Record<string, string>>): (element: HTMLElement | null) => void {
  return (element) => {
    if (element === null) return;
    for (const [name, value] of Object.entries(values)) element.style.setProperty(name, value);
  };
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}
