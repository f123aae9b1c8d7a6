import type { Command } from './commands.svelte.ts'

/** Searches the person's sessions, notes and runs; loaded with the palette, not with the page. */
export interface Things {
  /** Flows, pipelines, actions, runs, rules and settings: few enough to search here. */
  loadThings: () => Promise<Command[]>
  /** Sessions, notes and documents that fit a text. */
  searchThings: (typed: string) => Promise<Command[]>
}

/** While someone types, only the last text is searched for. */
const TYPING_MS = 150
/** A single letter fits nearly everything. */
const LEAST_CHARS = 2

/** The person's own things for what is typed in the palette. */
export const createPaletteSearch = (load: () => Promise<Things>) => {
  let known = $state.raw<readonly Command[]>([])
  let found = $state.raw<readonly Command[]>([])
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0

  return {
    /** Flows, runs, rules and settings. */
    get known() {
      return known
    },
    /** Sessions and notes that fit the typed text. */
    get found() {
      return found
    },
    open: async (): Promise<void> => {
      found = []
      known = await (await load()).loadThings()
    },
    search: (typed: string): void => {
      clearTimeout(timer)
      turn += 1
      const mine = turn
      const text = typed.trim()
      if (text.length < LEAST_CHARS) {
        found = []
        return
      }
      timer = setTimeout(() => {
        void load()
          .then(({ searchThings }) => searchThings(text))
          .then((answer) => {
            if (mine === turn) found = answer
          })
      }, TYPING_MS)
    },
  }
}
