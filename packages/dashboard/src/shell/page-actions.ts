import type { Command } from './commands.svelte.ts'

/** Tabs and rows have keys of their own. */
const BUTTONS =
  'main button:not(:disabled, [role="tab"], [data-arrows] *, [aria-hidden="true"], dialog *)'

const isShown = (button: HTMLElement): boolean => button.checkVisibility()

const labelOf = (button: HTMLElement): string =>
  (button.getAttribute('aria-label') ?? button.innerText).replace(/\s+/g, ' ').trim()

const findButtons = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(BUTTONS)].filter(isShown)

/** The buttons of the page as commands, so that every action is in the palette. */
export const readPageActions = (): Command[] => {
  const labels = new Set(findButtons().map(labelOf))
  labels.delete('')
  return [...labels].map((label) => ({
    id: `button ${label}`,
    title: label,
    kind: 'On this page',
    // The page may have been redrawn since.
    run: () =>
      findButtons()
        .find((button) => labelOf(button) === label)
        ?.click(),
  }))
}
