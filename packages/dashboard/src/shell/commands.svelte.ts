import { untrack } from 'svelte'
import { PAGES } from '../pages/pages.ts'
import { goTo } from '../router/router.svelte.ts'

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

const GO: readonly Command[] = PAGES.map(({ path, title, group }) => ({
  id: path,
  title: `Go to ${title}`,
  words: group,
  run: () => goTo(path),
}))

export const allCommands = (): readonly Command[] => [...ofPages, ...GO]
