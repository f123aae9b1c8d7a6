import { reasonOf } from '@steward/contract'

export interface Reloader {
  /** Asks for a reload; several requests during one are one more reload after it. */
  request: () => void
  /** Resolves when no reload is under way. */
  idle: () => Promise<void>
}

/** One reload at a time. One that fails is reported, and what ran before goes on. */
export const createReloader = (
  reload: () => Promise<void>,
  warn: (message: string) => void,
): Reloader => {
  let current: Promise<void> | undefined
  let isWanted = false
  const work = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false
      await reload().catch((thrown: unknown) =>
        warn(`not reloaded, what ran before goes on: ${reasonOf(thrown)}`),
      )
    }
    current = undefined
  }
  return {
    request: () => {
      isWanted = true
      current ??= work()
    },
    idle: async () => {
      isWanted = false
      await current
    },
  }
}
