import { untrack } from 'svelte'

/** Something the palette can do. */
export interface Command {
  id: string
  title: string
  /** Other words it is found by. */
  words?: string
  run: () => void
}

let ofPages = $state.raw<readonly Command[]>([])

/** Offers commands while a page is shown; for `$effect`. */
export const offerCommands = (commands: readonly Command[]): (() => void) => {
  // Whoever offers must not be run again because others offer.
  ofPages = [...untrack(() => ofPages), ...commands]
  return () => {
    ofPages = ofPages.filter((command) => !commands.includes(command))
  }
}

/** What the page that is shown offers. */
export const offeredCommands = (): readonly Command[] => ofPages
