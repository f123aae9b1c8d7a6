import { StewardError } from '@steward/contract'
import type { Clock } from './clock.ts'
import type { Host } from './host.ts'

/** How long newcomers are held back for those inside to finish: two processes share the storage badly. */
const HOLD_MS = 1000
/** The platform gives work behind an answer (`waitUntil`) this long. */
const BACKGROUND_MS = 30_000
/** Processes that may still be finishing beside the current one. */
const MOST_RETIRED = 2

interface Generation {
  host: Host
  inFlight: number
  /** Until when work behind an answer may be going on. */
  backgroundUntilMs: number
  onQuiet: (() => void) | undefined
}

/** Exchanges the running workerd under its callers: whoever is inside finishes where he began. */
export interface HostSwitch {
  use<T>(work: (host: Host) => Promise<T>): Promise<T>
  /** An answer was given behind which work goes on. */
  noteBackground(host: Host): void
  current(): Host | undefined
  replace(next: Host): Promise<void>
  /** Ends every process; what is inside is given `graceMs`. */
  close(graceMs: number): Promise<void>
}

export const createHostSwitch = (clock: Clock): HostSwitch => {
  let current: Generation | undefined
  let held: Promise<void> | undefined
  const retired = new Set<Generation>()

  const quiet = (generation: Generation): Promise<void> =>
    generation.inFlight === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          const before = generation.onQuiet
          generation.onQuiet = () => {
            before?.()
            resolve()
          }
        })

  const within = (promise: Promise<void>, limitMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const cancel = clock.at(clock.now() + limitMs, resolve)
      promise.then(resolve, reject).finally(cancel)
    })

  const retire = async (generation: Generation): Promise<void> => {
    retired.add(generation)
    for (const surplus of [...retired].slice(0, -MOST_RETIRED)) await end(surplus)
    await quiet(generation)
    const restMs = generation.backgroundUntilMs - clock.now()
    if (restMs > 0) await within(new Promise(() => undefined), restMs)
    await end(generation)
  }

  const end = async (generation: Generation): Promise<void> => {
    if (retired.delete(generation)) await generation.host.dispose()
  }

  return {
    use: async (work) => {
      while (held !== undefined) await held
      const generation = current
      if (generation === undefined) {
        throw new StewardError('not_configured', {
          subject: 'the local edge',
          reason: 'no worker is running; the errors above say why',
        })
      }
      generation.inFlight += 1
      try {
        return await work(generation.host)
      } finally {
        generation.inFlight -= 1
        if (generation.inFlight === 0) {
          const { onQuiet } = generation
          generation.onQuiet = undefined
          onQuiet?.()
        }
      }
    },
    noteBackground: (host) => {
      for (const generation of [current, ...retired]) {
        if (generation?.host !== host) continue
        generation.backgroundUntilMs = clock.now() + BACKGROUND_MS
      }
    },
    current: () => current?.host,
    replace: async (host) => {
      const before = current
      const hold = Promise.withResolvers<void>()
      held = hold.promise
      try {
        if (before !== undefined) await within(quiet(before), HOLD_MS)
        current = { host, inFlight: 0, backgroundUntilMs: 0, onQuiet: undefined }
      } finally {
        held = undefined
        hold.resolve()
      }
      if (before !== undefined) void retire(before)
    },
    close: async (graceMs) => {
      const all = [...retired, ...(current === undefined ? [] : [current])]
      current = undefined
      await within(
        Promise.all(all.map(quiet)).then(() => undefined),
        graceMs,
      )
      retired.clear()
      await Promise.all(all.map(({ host }) => host.dispose()))
    },
  }
}
