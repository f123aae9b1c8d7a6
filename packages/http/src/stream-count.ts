import { StewardError } from '@steward/contract'

/** Each open stream keeps a connection and a subscription. */
const MOST_STREAMS = 100

/** Counts open streams and refuses new ones above the limit. */
export const createStreamCount = (most: number = MOST_STREAMS) => {
  let open = 0
  return {
    open: () => open,
    /** Returns the function that ends it. */
    begin: (): (() => void) => {
      if (open >= most) throw new StewardError('too_many_streams', { limit: most })
      open += 1
      let isOpen = true
      return () => {
        if (isOpen) open -= 1
        isOpen = false
      }
    },
  }
}
export type StreamCount = ReturnType<typeof createStreamCount>
