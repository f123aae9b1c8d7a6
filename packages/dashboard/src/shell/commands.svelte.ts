import { untrack } from 'svelte'

/** A command of the palette: a page, a thing of the person, or an action. */
export interface Command {
  id: string
  title: string
  /** Other search words. */
  words?: string
  /** Its kind, shown beside the title. */
  kind?: string
  /** The keys that do the same. */
  keys?: string
  /** The title is a sentence, not a name. */
  isSentence?: boolean
  /** Where it goes; such commands are remembered. */
  href?: string
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
