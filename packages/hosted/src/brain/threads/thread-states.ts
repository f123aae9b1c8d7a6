import type { LogView } from '../log-view.ts'

export const isAnyBusy = ({ threads }: LogView): boolean =>
  [...threads.values()].some(({ state }) => state === 'busy')

export const isAnyPaused = ({ threads }: LogView): boolean =>
  [...threads.values()].some(({ state }) => state === 'paused')

/** The calls of other threads that wait for the client. */
export const asksOfThreads = ({ threads }: LogView): readonly string[] =>
  [...threads.values()].flatMap(({ state, asks }) => (state === 'asks' ? asks : []))
