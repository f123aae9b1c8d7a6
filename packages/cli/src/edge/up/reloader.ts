import { reasonOf } from '@steward/contract'

/**
 * One reload at a time; requests during one are one more reload after it. One that fails is
 * reported, and what ran before goes on.
 */
export const createReloader = (
  reload: () => Promise<void>,
  warn: (message: string) => void,
): (() => void) => {
  let isRunning = false
  let isWanted = false
  const work = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      await reload().catch((thrown: unknown) =>
        warn(`not reloaded, what ran before goes on: ${reasonOf(thrown)}`),
      )
    }
    isRunning = false
  }
  return () => {
    isWanted = true
    if (!isRunning) void work()
  }
}
