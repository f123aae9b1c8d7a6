import { untrack } from 'svelte'

/** A command of the palette. */
export interface Command {
  id: string
  title: string
  /** Other search words. */
  words?: string
  /** The keys that do the same. */
  keys?: string
  run: () => void
}

let ofPages = $state.raw<readonly Command[]>([])

/** Offers commands while a page is shown; for `$effect`. */
export const offerCommands = (commands: readonly Command[]): (() => void) => {
  // Untracked, so that offers of others do not rerun this effect.
  ofPages = [...untrack(() => ofPages), ...commands]
  return () => {
    ofPages = ofPages.filter((command) => !commands.includes(command))
  }
}

/** The commands of the current page. */
export const offeredCommands = (): readonly Command[] => ofPages
