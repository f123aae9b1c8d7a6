import type { ActionContextV2 } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { UseAnswers } from './answer-uses.ts'

/** One call that a host was sent. */
export interface HostCall {
  number: number
  context: ActionContextV2
  /** Made for the first use, because most calls have none. */
  uses: UseAnswers | undefined
  told: { bytes: number; messages: number }
  /** Rejects with `NOT_STARTED` if the host will never come to it. */
  result: Promise<unknown>
  /** Whether the calls before it have ended; false if the host will never come to it. */
  reached: Promise<boolean>
  /** The run does not wait for it any more. */
  isLeft: boolean
}

export type CallResult = { output: unknown } | { thrown: unknown }

/** The calls that a host was sent and has not ended, which it works off in order. */
export interface CallLine {
  /** The call that the host is at. */
  first: () => HostCall | undefined
  length: () => number
  add: (number: number, context: ActionContextV2) => HostCall
  /** The caller has stopped waiting. */
  leave: (call: HostCall) => void
  /** Ends the first call. */
  endFirst: (result: CallResult) => void
  /** The host will not come to the calls behind the first `kept` ones. */
  drop: (kept: 0 | 1) => void
}

/** For a call that was sent to a host and never begun, so that another host can take it. */
export const NOT_STARTED = new Error('the call was not started')

/** A call that takes longer than this delays those behind it noticeably. */
const STUCK_MS = 20

interface Place extends HostCall {
  settle: (result: CallResult) => void
  reach: (isReached: boolean) => void
}

/** `onStuck` is called if calls wait behind one that takes long, or the run of that one is gone. */
export const createCallLine = (startTimer: StartTimer, onStuck: () => void): CallLine => {
  const places: Place[] = []
  let isWatched = false

  /** The answer may have arrived while this process was busy, so it is read first. */
  const watch = (): void => {
    if (isWatched) return
    isWatched = true
    const seen = places[0]
    startTimer(STUCK_MS, () =>
      setImmediate(() => {
        isWatched = false
        const isWaitedFor = places.length > 1 || places[0]?.isLeft === true
        if (!isWaitedFor) return
        if (places[0] === seen) onStuck()
        else watch()
      }),
    )
  }

  return {
    first: () => places[0],
    length: () => places.length,
    add: (number, context) => {
      const { promise: result, resolve, reject } = Promise.withResolvers<unknown>()
      const isFirst = places.length === 0
      const { promise, resolve: reach } = Promise.withResolvers<boolean>()
      const place: Place = {
        ...{ number, context, result, reach, uses: undefined, isLeft: false },
        told: { bytes: 0, messages: 0 },
        reached: isFirst ? REACHED : promise,
        settle: (given) => ('output' in given ? resolve(given.output) : reject(given.thrown)),
      }
      places.push(place)
      if (!isFirst) watch()
      return place
    },
    leave: (call) => {
      call.isLeft = true
      if (places[0] === call) watch()
    },
    endFirst: (result) => {
      const ended = places.shift()
      ended?.uses?.close()
      ended?.settle(result)
      const next = places[0]
      next?.reach(true)
      if (next?.isLeft) watch()
    },
    drop: (kept) => {
      for (const place of places.splice(kept)) {
        place.reach(false)
        // The caller may have stopped waiting.
        place.result.catch(() => undefined)
        place.settle({ thrown: NOT_STARTED })
      }
    },
  }
}

const REACHED = Promise.resolve(true)
