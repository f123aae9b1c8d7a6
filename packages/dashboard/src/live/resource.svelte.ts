import type { LiveTopic } from '@steward/contract'
import { untrack } from 'svelte'
import { atMost } from './at-most.ts'
import { onChange, sawDaemon } from './connection.svelte.ts'
import { type Problem, toProblem } from './problem.ts'

/** Data from the daemon, kept current while it is shown. */
export interface Resource<T> {
  /** The last answer; kept while a newer one is fetched and if that fails. */
  readonly value: T | undefined
  /** Why the last attempt failed. */
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  refresh: () => Promise<void>
}

/** There is an answer, or an error. */
export const hasSettled = ({
  value,
  problem,
}: Pick<Resource<unknown>, 'value' | 'problem'>): boolean =>
  value !== undefined || problem !== undefined

/**
 * Fetches immediately, again when the dependencies of `load` change, and when one of the topics
 * does. Must be called during component setup; ends with the component.
 */
export const createResource = <T>(
  load: () => Promise<T> | undefined,
  topics: readonly LiveTopic[] = [],
  /** At busy times, not fetched more often than this. */
  { everyMs = 0 }: { everyMs?: number } = {},
): Resource<T> => {
  let value = $state.raw<T>()
  let problem = $state.raw<Problem>()
  let isLoading = $state(true)
  let turn = 0

  const take = async (loading: Promise<T> | undefined): Promise<void> => {
    turn += 1
    const mine = turn
    if (loading === undefined) return
    isLoading = true
    try {
      const answer = await loading
      sawDaemon(true)
      // A later request may have been answered first.
      if (mine !== turn) return
      value = answer
      problem = undefined
    } catch (thrown) {
      const found = toProblem(thrown)
      sawDaemon(found.kind !== 'unreachable')
      if (mine === turn) problem = found
    } finally {
      if (mine === turn) isLoading = false
    }
  }
  const refresh = (): Promise<void> => take(untrack(load))

  $effect(() => {
    const loading = load()
    untrack(() => void take(loading))
  })
  $effect(() => {
    const { ask, end } = atMost(everyMs, () => void refresh())
    const leave = onChange(topics, ask)
    return () => {
      leave()
      end()
    }
  })

  return {
    get value() {
      return value
    },
    get problem() {
      return problem
    },
    get isLoading() {
      return isLoading
    },
    refresh,
  }
}
